// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace triode {

// CRC-32/ISO-HDLC, the one of zlib, gzip and PNG. Finds every damage within 32 neighbouring bits,
// and all but one in four billion of the others; not for hostile input. One table
// look-up a byte.
uint32_t crc32(std::string_view bytes);

}  // namespace triode
