// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/cache_folder.h"

#include <filesystem>

#include "cache/cache_path.h"
#include "core/settings.h"

namespace triode::cache_tool {

std::string folder_of_store(const std::string& store) {
  return std::filesystem::path(store).parent_path().string();
}

Result<std::string> cache_folder(const Arguments& arguments) {
  return folder_of_store(TRIODE_TRY(store_path(arguments)));
}

Result<std::string> store_path(const Arguments& arguments) {
  Settings settings = TRIODE_TRY(read_settings_from_environment());
  if (const auto folder = arguments.value("--cache")) settings.cache = *folder;
  return cache_path_from_environment(settings);
}

}  // namespace triode::cache_tool
