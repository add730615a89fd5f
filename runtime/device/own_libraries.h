// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace triode {

// Places to look for a shared library of Triode's by its file name, in order: beside the object
// this code was linked into, in a lib folder inside or next to that; the same for the running
// executable; then wherever the loader looks.
std::vector<std::filesystem::path> places_of_library(const std::string& file_name);

// What the loader said last; clears it.
std::string last_loader_error();

}  // namespace triode
