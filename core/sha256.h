// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace triode {

using Sha256Digest = std::array<uint8_t, 32>;

// SHA-256 (FIPS 180-4): the identity of files that strangers may hand us, where hash_bytes() would
// not do. About 200 MB/s.
Sha256Digest sha256(std::string_view bytes);

// 64 lower-case hexadecimal digits.
std::string to_hex(const Sha256Digest& digest);

}  // namespace triode
