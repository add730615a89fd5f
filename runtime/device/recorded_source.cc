// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/recorded_source.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/key.h"
#include "learner/model/device_traits.h"

namespace triode {
namespace {

ReplayedTrial replayed(const Outcome& outcome, const RecordedTime& time) {
  constexpr double kNsPerS = 1e9;
  return {outcome, time.median_s * kNsPerS, time.min_s * kNsPerS, time.max_s * kNsPerS};
}

Target target_of(const std::string& device, KernelFamily family) {
  Target target;
  target.device = device;
  target.isa = "sm_unknown";
  target.toolchain = "recorded " + std::string(to_string(family));
  if (const auto traits = find_gpu(device)) {
    target.isa = traits->gpu.has_warpgroup_mma ? "sm_90" : "sm_80";
    target.cores = static_cast<int32_t>(traits->gpu.multiprocessors);
    target.l2_bytes = static_cast<int64_t>(traits->gpu.l2_bytes);
  }
  return target;
}

class RecordedSource final : public ReplaySource {
 public:
  RecordedSource(RecordedTimings timings, std::string_view device)
      : space_(timings.space), target_(target_of(std::string(device), timings.family)) {
    for (RecordedProblem& recorded : timings.problems) {
      if (recorded.device != device) continue;
      Entry entry;
      entry.problem = recorded.problem;
      if (recorded.has_vendor) entry.vendor = replayed({}, recorded.vendor);
      auto tried = std::make_shared<std::map<Config, ReplayedTrial>>();
      for (const RecordedTrial& trial : recorded.trials) {
        tried->emplace(trial.config, replayed(trial.outcome, trial.time));
      }
      entry.trials = std::move(tried);
      // The same problem in a second data set is left out: the first one's figures stand.
      if (find(recorded.problem) != nullptr) continue;
      positions_.emplace(hash_of(recorded.problem), entries_.size());
      entries_.push_back(std::move(entry));
    }
  }

  bool is_empty() const { return entries_.empty(); }
  const Target& target() const override { return target_; }

  std::vector<Problem> problems() const override {
    std::vector<Problem> problems;
    for (const Entry& entry : entries_) problems.push_back(entry.problem);
    return problems;
  }

  Result<Space> space(const Problem& problem) const override {
    const Entry* entry = find(problem);
    if (entry == nullptr) {
      return not_found("nothing was recorded of \"" + to_string(problem) + "\"");
    }
    Space space = space_;
    space.add_rule("it was not recorded", [tried = entry->trials](const Config& config) {
      return tried->contains(config);
    });
    return space;
  }

  std::optional<ReplayedTrial> trial(const Problem& problem, const Config& config) const override {
    const Entry* entry = find(problem);
    if (entry == nullptr) return std::nullopt;
    const auto found = entry->trials->find(config);
    if (found == entry->trials->end()) return std::nullopt;
    return found->second;
  }

  std::optional<ReplayedTrial> vendor(const Problem& problem) const override {
    const Entry* entry = find(problem);
    return entry == nullptr ? std::nullopt : entry->vendor;
  }

 private:
  struct Entry {
    Problem problem;
    std::optional<ReplayedTrial> vendor;
    std::shared_ptr<const std::map<Config, ReplayedTrial>> trials;
  };

  const Entry* find(const Problem& problem) const {
    const auto [begin, end] = positions_.equal_range(hash_of(problem));
    for (auto it = begin; it != end; ++it) {
      if (entries_[it->second].problem == problem) return &entries_[it->second];
    }
    return nullptr;
  }

  Space space_;
  Target target_;
  std::vector<Entry> entries_;
  std::unordered_multimap<uint64_t, size_t> positions_;  // by hash_of
};

}  // namespace

Result<std::shared_ptr<const ReplaySource>> make_recorded_source(RecordedTimings timings,
                                                                 std::string_view device) {
  std::set<std::string> devices;
  for (const RecordedProblem& recorded : timings.problems) devices.insert(recorded.device);
  auto source = std::make_shared<const RecordedSource>(std::move(timings), device);
  if (!source->is_empty()) return std::shared_ptr<const ReplaySource>(std::move(source));
  std::string names;
  for (const std::string& name : devices) names += (names.empty() ? "" : ", ") + name;
  return not_found("nothing was recorded on \"" + std::string(device) + "\"; there is " + names);
}

}  // namespace triode
