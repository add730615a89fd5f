// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"

namespace triode::collect {

// The files that `--data PATH` means: PATH, or of a folder its data files by name, not those of
// folders below. A data file is one whose name ends in .csv, .json, .msgpack or .trials, or in .gz.
// kNotFound if a folder has none, or cannot be listed.
Result<std::vector<std::string>> data_files(const std::string& path);

}  // namespace triode::collect
