// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/own_libraries.h"

#include <dlfcn.h>

#include <system_error>

namespace triode {
namespace {

namespace fs = std::filesystem;

void add_around(const fs::path& object, const std::string& file_name,
                std::vector<fs::path>& places) {
  const fs::path folder = object.parent_path();
  places.push_back(folder / file_name);
  places.push_back(folder / "lib" / file_name);
  places.push_back(folder.parent_path() / "lib" / file_name);
}

fs::path path_of_this_object() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&places_of_library), &found) == 0) return {};
  std::error_code error;
  const fs::path path = fs::canonical(found.dli_fname, error);
  return error ? fs::path() : path;
}

}  // namespace

std::vector<fs::path> places_of_library(const std::string& file_name) {
  std::vector<fs::path> places;
  if (const fs::path object = path_of_this_object(); !object.empty()) {
    add_around(object, file_name, places);
  }
  std::error_code error;
  if (const fs::path executable = fs::read_symlink("/proc/self/exe", error); !error) {
    add_around(executable, file_name, places);
  }
  places.emplace_back(file_name);
  return places;
}

std::string last_loader_error() {
  const char* const message = dlerror();
  return message == nullptr ? "unknown error" : message;
}

}  // namespace triode
