// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode::run {

// The folder of this program's file. kNotFound if the system does not tell.
Result<std::string> own_folder();

// Where libtriode.so is looked for, given the folder of this program: where a build or an
// installation puts it, then beside the program.
std::vector<std::string> library_candidates(const std::string& program_folder);

// The first of `candidates` that is a file and can be read. kNotFound names them all.
Result<std::string> find_library(const std::vector<std::string>& candidates);

// The LD_PRELOAD that puts `library` first and keeps the rest of `current`, each name once.
// kUnsupported if `library` holds a separator of that list, a space or a colon.
Result<std::string> preload_list(const std::string& library, std::string_view current);

}  // namespace triode::run
