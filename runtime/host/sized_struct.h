// SPDX-License-Identifier: Apache-2.0
// Structs of the C interface, whose first member is the size that the program knows them by.
#pragma once

#include <cstddef>

#include "core/status.h"

namespace triode::host {

// No struct will ever be larger: what claims to be was not initialised.
constexpr size_t kLargestStruct = 4096;

// kInvalidArgument for no struct or a size that is none; `name` is the parameter's.
Status check_size(const void* structure, size_t known_bytes, const char* name);

// What a program hands in. kUnsupported if it says something that this version does not know.
Status check_input_struct(const void* structure, size_t known_bytes, const char* name);

// Fills what a program wants to know, of which check_size() thinks well. Its size stays.
void write_output_struct(const void* values, size_t known_bytes, void* structure);

}  // namespace triode::host
