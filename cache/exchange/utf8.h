// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace triode::exchange {

// Bytes of the character that starts at `position`; 0 if none does (overlong forms, surrogates and
// cut ones included).
size_t utf8_length_at(std::string_view text, size_t position);

bool is_utf8(std::string_view text);

// `code` is a Unicode scalar value.
void append_utf8(uint32_t code, std::string& out);

// The character at `position`, which must be one.
uint32_t utf8_code_at(std::string_view text, size_t position);

}  // namespace triode::exchange
