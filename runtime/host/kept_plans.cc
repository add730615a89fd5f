// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/kept_plans.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "runtime/host/warning.h"

namespace triode::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "host.plans";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

KeptPlans::KeptPlans(std::string path, const Target& target)
    : path_(std::move(path)), target_(target) {
  if (path_.empty()) return;
  const Result<PlanFile> file = read_plan_file(path_);
  if (!file.ok()) {
    if (file.status().code() != StatusCode::kNotFound) warn_once(file.status().message());
    return;
  }
  for (const StoredPlan& plan : file->plans_for(target_)) {
    plans_.insert_or_assign({to_string(plan.problem), plan.vendor}, plan);
  }
}

const StoredPlan* KeptPlans::find(const Problem& problem, const std::string& vendor) const {
  const auto found = plans_.find({to_string(problem), vendor});
  return found == plans_.end() ? nullptr : &found->second;
}

Status KeptPlans::keep(StoredPlan plan) {
  const Identity identity{to_string(plan.problem), plan.vendor};
  plans_.insert_or_assign(identity, plan);
  if (path_.empty()) return {};
  std::error_code error;
  fs::create_directories(fs::path(path_).parent_path(), error);
  if (error) {
    return unavailable("cannot make the folder of " + path_ + ": " + error.message() +
                       "; choose another with TRIODE_CACHE");
  }
  return merge_into_plan_file(path_, target_, {&plan, 1});
}

std::string kept_plans_path(const std::string& folder) {
  if (!folder.empty()) return folder + '/' + kFileName;
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (!cache.empty()) return cache + "/triode/" + kFileName;
  return home.empty() ? "" : home + "/.cache/triode/" + kFileName;
}

}  // namespace triode::host
