// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/status.h"

namespace triode::cache_tool {

// Figures as people read them.
std::string time_text(double nanoseconds);                      // "1.234 ms"
std::string percent_text(double share);                         // "1.2%"
std::string ratio_text(double ratio);                           // "1.23x"
std::string bytes_text(int64_t bytes);                          // "1.5 MiB"
std::string count_text(int64_t count);                          // "1,234,567"
std::string age_text(int64_t when_unix_s, int64_t now_unix_s);  // "3 d"; "-" if not known

// Seconds of "90d", "12h", "30m", "45s", "2w". kInvalidArgument otherwise.
Result<int64_t> parse_duration(const std::string& text);
// Bytes of "512", "64k", "10M", "2G", powers of 1,024.
Result<int64_t> parse_bytes(const std::string& text);

}  // namespace triode::cache_tool
