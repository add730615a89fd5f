// SPDX-License-Identifier: Apache-2.0
#include "cache/cache_path.h"

namespace triode {
namespace {

std::string value_of(const VariableLookup& lookup, const char* name) {
  return lookup(name).value_or(std::string());
}

}  // namespace

Result<std::string> cache_path(const Settings& settings, const VariableLookup& lookup) {
  const std::string name = std::string("/") + kStoreName;
  if (!settings.cache.empty()) return settings.cache + name;
  const std::string cache = value_of(lookup, "XDG_CACHE_HOME");
  if (!cache.empty()) return cache + "/triode" + name;
  const std::string home = value_of(lookup, "HOME");
  if (!home.empty()) return home + "/.cache/triode" + name;
  return not_found("no folder for the cache: neither TRIODE_CACHE, XDG_CACHE_HOME nor HOME is set");
}

Result<std::string> cache_path_from_environment(const Settings& settings) {
  return cache_path(settings, environment_variable);
}

Result<std::string> cache_path_from_environment() {
  return cache_path_from_environment(TRIODE_TRY(read_settings_from_environment()));
}

}  // namespace triode
