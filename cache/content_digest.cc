// SPDX-License-Identifier: Apache-2.0
#include "cache/content_digest.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include "core/key.h"

namespace triode {

std::string content_digest(std::string_view bytes) {
  // Two hashes from different beginnings, as independent as one of twice the width.
  constexpr uint64_t kOtherSeed = 0x7472696f6465u;
  std::array<char, 33> text{};
  (void)std::snprintf(text.data(), text.size(), "%016llx%016llx",
                      static_cast<unsigned long long>(hash_bytes(bytes)),
                      static_cast<unsigned long long>(hash_bytes(bytes, kOtherSeed)));
  return text.data();
}

}  // namespace triode
