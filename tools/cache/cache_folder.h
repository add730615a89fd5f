// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/status.h"
#include "tools/cache/arguments.h"

namespace triode::cache_tool {

// The folder that a command is about: `--cache`, else TRIODE_CACHE, else the user's. Plans and the
// tuner's log lie in it, and the store.
Result<std::string> cache_folder(const Arguments& arguments);

// The store in it: what Cache::open takes and `triode cache path` prints.
Result<std::string> store_path(const Arguments& arguments);

// A store that is named by its own path, or by that of the folder it lies in.
std::string store_at(const std::string& path);

// The folder that holds a store.
std::string folder_of_store(const std::string& store);

}  // namespace triode::cache_tool
