// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string_view>

#include "cache/exchange/gzip.h"
#include "tests/fuzz/fuzz_target.h"

// Never more than was allowed, whatever the file claims.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMost = size_t{1} << 16;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto text = triode::exchange::inflate_gzip(bytes, kMost);
  if (text.ok() && text->size() > kMost) std::abort();
  return 0;
}
