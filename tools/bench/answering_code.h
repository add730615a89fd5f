// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/status.h"

namespace triode::bench {

// What answering_code() says of code that lies in no file: a kernel made at run time.
inline constexpr const char* kGeneratedCode = "generated code";

// Whose code computes a call: the path of the loaded file that holds the instruction which first
// touches an operand, or kGeneratedCode. `call` is called once with the operand, at least `bytes`
// zeros at the start of a page. Its pages are forbidden at first; the fault tells who came, and
// then they are allowed. One thread at a time, and no other may fault meanwhile. kUnavailable if
// nobody touched it, kResourceExhausted if there is no memory.
Result<std::string> answering_code(std::size_t bytes,
                                   const std::function<void(const void* operand)>& call);

}  // namespace triode::bench
