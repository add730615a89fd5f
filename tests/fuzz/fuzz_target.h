// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "cache/exchange/exchange_format.h"

// The entry point of each target, as libFuzzer has it. Inputs must not crash, hang or leak; a
// broken promise ends the process.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace triode::exchange {

// Reads the bytes as a file of this format and name. What was read has valid problems and finite
// times; written again and read again, it has as many rows, less those
// that were listed as dropped.
void fuzz_format(ExchangeFormat format, const char* file_name, const uint8_t* data, size_t size);

}  // namespace triode::exchange
