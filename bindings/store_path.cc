// SPDX-License-Identifier: Apache-2.0
#include "bindings/store_path.h"

#include "cache/cache_path.h"
#include "core/settings.h"

namespace triode::python {

Result<std::string> path_of_store(const std::string& folder) {
  if (folder.empty()) return cache_path_from_environment();
  Settings settings;
  settings.cache = folder;
  return cache_path_from_environment(settings);
}

}  // namespace triode::python
