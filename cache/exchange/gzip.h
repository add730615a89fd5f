// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode::exchange {

bool is_gzip(std::string_view bytes);

// The contents of a gzip file, all its members after each other. kInvalidArgument if it is damaged,
// cut short, followed by something else, or longer than `most_bytes` (at no more cost than that).
Result<std::string> inflate_gzip(std::string_view bytes, size_t most_bytes);

// What can be had of its first `most_bytes`, whatever is wrong behind them.
std::string inflate_beginning(std::string_view bytes, size_t most_bytes);

// The same bytes give the same file: no name, no time.
Result<std::string> deflate_gzip(std::string_view bytes);

}  // namespace triode::exchange
