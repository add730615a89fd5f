// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "cache/exchange/vllm_file_name.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace triode::exchange;
  fuzz_format(ExchangeFormat::kVllm, "N=64,K=32,device_name=X.json", data, size);
  (void)parse_vllm_file_name(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
