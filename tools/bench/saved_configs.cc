// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/saved_configs.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace triode::bench {
namespace {

constexpr int kFormat = 1;

}  // namespace

Result<SavedConfigs> SavedConfigs::open(std::string path, const Target& target) {
  SavedConfigs saved(std::move(path), target);
  TRIODE_TRY(saved.read());
  return saved;
}

Status SavedConfigs::read() {
  std::ifstream file(path_);
  if (!file) return {};
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    if (json.at("format") != kFormat) {
      return corrupt(path_ + " is of an unknown format; give --configs another file");
    }
    if (json.at("device") != device_ || json.at("isa") != isa_) {
      return invalid_argument(path_ + " holds configs found on " + json.at("device").dump() +
                              " with " + json.at("isa").dump() +
                              "; give --configs another file for this machine and --isa");
    }
    configs_ = json.at("configs").get<std::map<std::string, std::string>>();
  } catch (const nlohmann::json::exception& error) {
    return corrupt(path_ + " is not a file of configs (" + error.what() +
                   "); give --configs another file");
  }
  return {};
}

Status SavedConfigs::write() const {
  const nlohmann::ordered_json json = {
      {"format", kFormat}, {"device", device_}, {"isa", isa_}, {"configs", configs_}};
  const std::string beside = path_ + ".new";
  std::ofstream file(beside, std::ios::trunc);
  file << json.dump(2) << '\n';
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(beside, path_, error);
  if (!file || error) return unavailable("cannot write the configs to " + path_);
  return {};
}

std::optional<std::string> SavedConfigs::find(const Problem& problem) const {
  const auto found = configs_.find(to_string(problem));
  if (found == configs_.end()) return std::nullopt;
  return found->second;
}

Status SavedConfigs::save(const Problem& problem, std::string config) {
  configs_[to_string(problem)] = std::move(config);
  return write();
}

}  // namespace triode::bench
