# SPDX-License-Identifier: Apache-2.0
# Script mode only (cmake -P), called by triode_embed_file. Takes TEXT_FILE, HEADER, NAMESPACE and SYMBOL.

file(READ "${TEXT_FILE}" text)
# Not its folder: that would keep clones from sharing what the compiler cache holds.
cmake_path(GET TEXT_FILE FILENAME text_name)
string(FIND "${text}" ")triode_text\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${TEXT_FILE} holds the end mark of the literal it is embedded in.")
endif()

# One raw literal: GCC and Clang set no limit on its length, and the text needs no escaping.
file(WRITE "${HEADER}" "// SPDX-License-Identifier: Apache-2.0
// Generated from ${text_name}; edit that one.
#pragma once

#include <string_view>

namespace triode::${NAMESPACE} {

inline constexpr std::string_view ${SYMBOL} = R\"triode_text(${text})triode_text\";

}  // namespace triode::${NAMESPACE}
")
