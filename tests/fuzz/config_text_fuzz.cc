// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/fuzz_target.h"

// What parses, prints and parses to the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace triode::exchange;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const triode::Result<ForeignConfig> config = parse_foreign_config(text);
  if (!config.ok()) return 0;
  const triode::Result<ForeignConfig> again = parse_foreign_config(to_string(*config));
  if (!again.ok() || *again != *config) std::abort();
  return 0;
}
