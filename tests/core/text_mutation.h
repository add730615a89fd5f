// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/random.h"

namespace triode {

// The text with one to four edits: bytes changed or inserted, pieces dropped or copied elsewhere,
// the end cut off. What a parser must survive.
std::string mutated(std::string text, Random& random);

}  // namespace triode
