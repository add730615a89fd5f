// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace triode::host {

// Writes "triode: <text>\n" to stderr, past the program's own buffers. Each text once in a process,
// and a few different ones at most: a guest does not fill its host's terminal.
void warn_once(std::string_view text) noexcept;

}  // namespace triode::host
