// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cache/exchange/source_file.h"

namespace triode::exchange {

// A file of tests/cache/exchange/golden, made by the tool whose format it is in, or by hand where
// that tool needs a GPU to run. Fails the test if it cannot be read.
SourceFile golden_file(const std::string& name);

}  // namespace triode::exchange
