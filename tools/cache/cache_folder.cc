// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/cache_folder.h"

#include <filesystem>
#include <system_error>

#include "cache/cache_path.h"
#include "core/settings.h"

namespace triode::cache_tool {

std::string folder_of_store(const std::string& store) {
  return std::filesystem::path(store).parent_path().string();
}

std::string store_at(const std::string& path) {
  // Of the two only a folder of a cache can hold a store.
  const std::string inside = (std::filesystem::path(path) / kStoreName).string();
  std::error_code error;
  return std::filesystem::exists(inside, error) ? inside : path;
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
