# SPDX-License-Identifier: Apache-2.0
# Script mode only (cmake -P), called by triode_embed_text. Takes TEXT_FILE, HEADER and SYMBOL.

file(READ "${TEXT_FILE}" text)
string(FIND "${text}" ")triode_text\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${TEXT_FILE} holds the end mark of the literal it is embedded in.")
endif()

# One raw literal: GCC and Clang set no limit on its length, and the text needs no escaping.
file(WRITE "${HEADER}" "// SPDX-License-Identifier: Apache-2.0
// Generated from a document under docs/cli; edit that one.
#pragma once

#include <string_view>

namespace triode::help {

inline constexpr std::string_view ${SYMBOL} = R\"triode_text(${text})triode_text\";

}  // namespace triode::help
")
