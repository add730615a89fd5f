// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace triode::exchange;
  fuzz_format(ExchangeFormat::kDiodeDataset, "dataset.json", data, size);
  return 0;
}
