// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_file.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

#include "runtime/host/file_lock.h"
#include "runtime/host/plan_file_text.h"
#include "runtime/host/whole_file.h"

namespace triode {
namespace {

// More damaged files than this at one place are a fault of the disk or of Triode: somebody should
// look, and the disk should not fill up with them.
constexpr int kMostDamagedKept = 100;

std::string in_file(const std::string& path, const std::string& message) {
  return "plan file " + path + ": " + message;
}

// Moves a damaged file to where nothing is yet. Under the writers' lock, so that nobody takes the
// place meanwhile.
Status set_aside(const std::string& path) {
  std::string aside = path + ".damaged";
  for (int number = 2; ::access(aside.c_str(), F_OK) == 0; ++number) {
    if (number > kMostDamagedKept) {
      return resource_exhausted(
          in_file(path, "damaged, and so are " + std::to_string(kMostDamagedKept) +
                            " earlier ones beside it; look at the disk, then delete " + path +
                            ".damaged*"));
    }
    aside = path + ".damaged." + std::to_string(number);
  }
  if (::rename(path.c_str(), aside.c_str()) != 0) return file_error("move aside", path, errno);
  return {};
}

// Replaces the file by what `change` makes of it; of a damaged one, by what it makes of nothing.
Status change_file(const std::string& path, const std::function<void(PlanFile&)>& change) {
  const FileLock lock = TRIODE_TRY(FileLock::acquire(path + ".lock"));
  Result<PlanFile> found = read_plan_file(path);
  const StatusCode code = found.ok() ? StatusCode::kOk : found.status().code();
  const bool is_damaged = code == StatusCode::kCorrupt;
  if (!found.ok() && !is_damaged && code != StatusCode::kNotFound) return found.status();
  PlanFile file = found.ok() ? std::move(found).take() : PlanFile();
  change(file);
  const Result<std::string> text = format_plan_file(file);
  if (!text.ok()) return Status(text.status().code(), in_file(path, text.status().message()));
  if (is_damaged) TRIODE_TRY(set_aside(path));
  return replace_file(path, *text);
}

PlanSection& section_of(PlanFile& file, const std::string& target) {
  const auto found =
      std::find_if(file.sections.begin(), file.sections.end(),
                   [&target](const PlanSection& section) { return section.target == target; });
  if (found != file.sections.end()) return *found;
  return file.sections.emplace_back(PlanSection{target, {}});
}

void merge_plans(std::span<const StoredPlan> plans, PlanSection& section) {
  std::unordered_map<std::string, size_t> positions;
  for (size_t i = 0; i < section.plans.size(); ++i) positions[identity_of(section.plans[i])] = i;
  for (const StoredPlan& plan : plans) {
    const auto [at, is_new] = positions.emplace(identity_of(plan), section.plans.size());
    if (is_new) {
      section.plans.push_back(plan);
    } else {
      section.plans[at->second] = plan;
    }
  }
}

}  // namespace

std::span<const StoredPlan> PlanFile::plans_for(const Target& target) const {
  const std::string fingerprint = target.fingerprint();
  for (const PlanSection& section : sections) {
    if (section.target == fingerprint) return section.plans;
  }
  return {};
}

Result<PlanFile> read_plan_file(const std::string& path) {
  const std::string bytes = TRIODE_TRY(read_whole_file(path, kMaxPlanFileBytes));
  return parse_plan_file(bytes, path);
}

Status write_plan_file(const std::string& path, const PlanFile& file) {
  return change_file(path, [&file](PlanFile& whole) {
    PlanFile changed = file;
    for (PlanSection& old : whole.sections) {
      const bool is_replaced =
          std::any_of(file.sections.begin(), file.sections.end(),
                      [&old](const PlanSection& section) { return section.target == old.target; });
      if (!is_replaced) changed.sections.push_back(std::move(old));
    }
    whole = std::move(changed);
  });
}

Status merge_into_plan_file(const std::string& path, const Target& target,
                            std::span<const StoredPlan> plans) {
  if (plans.empty()) return {};
  return change_file(
      path, [&](PlanFile& file) { merge_plans(plans, section_of(file, target.fingerprint())); });
}

Status remove_from_plan_file(const std::string& path, const Target& target,
                             const StoredPlan& plan) {
  const Result<PlanFile> found = read_plan_file(path);
  if (!found.ok() && found.status().code() == StatusCode::kNotFound) return {};
  const std::string identity = identity_of(plan);
  return change_file(path, [&](PlanFile& file) {
    for (PlanSection& section : file.sections) {
      if (section.target != target.fingerprint()) continue;
      std::erase_if(section.plans, [&](const StoredPlan& stored) {
        return stored.config == plan.config && identity_of(stored) == identity;
      });
    }
  });
}

}  // namespace triode
