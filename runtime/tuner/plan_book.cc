// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/plan_book.h"

#include <filesystem>
#include <system_error>

namespace triode::tuner {

PlanBook::PlanBook(std::string path) : path_(std::move(path)) {
  const Result<PlanFile> file = read_plan_file(path_);
  if (!file.ok()) return;  // missing or damaged: it holds nothing
  for (const PlanSection& section : file->sections) {
    for (const StoredPlan& plan : section.plans) {
      plans_[section.target].insert_or_assign({to_string(plan.problem), plan.vendor}, plan);
    }
  }
}

std::vector<StoredPlan> PlanBook::plans_for(const Target& target) const {
  const std::lock_guard lock(memory_mutex_);
  std::vector<StoredPlan> plans;
  const auto section = plans_.find(target.fingerprint());
  if (section == plans_.end()) return plans;
  for (const auto& [identity, plan] : section->second) plans.push_back(plan);
  return plans;
}

std::optional<StoredPlan> PlanBook::find(const Target& target, const std::string& problem,
                                         const std::string& vendor) const {
  const std::lock_guard lock(memory_mutex_);
  const auto section = plans_.find(target.fingerprint());
  if (section == plans_.end()) return std::nullopt;
  const auto plan = section->second.find({problem, vendor});
  return plan == section->second.end() ? std::nullopt : std::optional(plan->second);
}

Status PlanBook::keep(const Target& target, const StoredPlan& plan) {
  const std::lock_guard writing(file_mutex_);
  {
    const std::lock_guard lock(memory_mutex_);
    plans_[target.fingerprint()].insert_or_assign({to_string(plan.problem), plan.vendor}, plan);
  }
  std::error_code ignored;  // writing says what is wrong with the folder
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  return merge_into_plan_file(path_, target, {&plan, 1});
}

Status PlanBook::forget(const Target& target, const std::string& problem, const std::string& vendor,
                        uint64_t code_digest) {
  const std::lock_guard writing(file_mutex_);
  std::optional<StoredPlan> forgotten;
  {
    const std::lock_guard lock(memory_mutex_);
    auto& section = plans_[target.fingerprint()];
    const auto plan = section.find({problem, vendor});
    if (plan == section.end() || plan->second.code_digest != code_digest) return {};
    forgotten = std::move(section.extract(plan).mapped());
  }
  return remove_from_plan_file(path_, target, *forgotten);
}

size_t PlanBook::size() const {
  const std::lock_guard lock(memory_mutex_);
  size_t count = 0;
  for (const auto& [target, section] : plans_) count += section.size();
  return count;
}

}  // namespace triode::tuner
