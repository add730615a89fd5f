// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace triode {

// CRC-32/ISO-HDLC, the one of zlib, gzip and PNG. Finds every damage within 32 neighbouring bits,
// and all but one in four billion of the others; not for hostile input. One table
// look-up a byte, eight of them at a time. `before` is the checksum of what stands ahead of the
// bytes: crc32(b, crc32(a)) is that of a and b.
uint32_t crc32(std::string_view bytes, uint32_t before = 0);

}  // namespace triode
