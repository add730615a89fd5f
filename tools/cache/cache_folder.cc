// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/cache_folder.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

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
  return cache_path(settings, [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

}  // namespace triode::cache_tool
