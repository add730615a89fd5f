// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/listed_source.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "core/key.h"

namespace triode {
namespace {

class ListedSource final : public ReplaySource {
 public:
  ListedSource(Target target, std::vector<ListedProblem> problems) : target_(std::move(target)) {
    for (ListedProblem& listed : problems) {
      if (find(listed.problem) != nullptr) continue;
      positions_.emplace(hash_of(listed.problem), entries_.size());
      entries_.push_back(std::make_shared<const ListedProblem>(std::move(listed)));
    }
  }

  const Target& target() const override { return target_; }

  std::vector<Problem> problems() const override {
    std::vector<Problem> problems;
    for (const auto& entry : entries_) problems.push_back(entry->problem);
    return problems;
  }

  Result<Space> space(const Problem& problem) const override {
    const auto* entry = find(problem);
    if (entry == nullptr) {
      return not_found("nothing was recorded of \"" + to_string(problem) + "\"");
    }
    Space space = *(*entry)->space;
    space.add_rule("it was not recorded", [listed = *entry](const Config& config) {
      return listed->trials.contains(config);
    });
    return space;
  }

  std::optional<ReplayedTrial> trial(const Problem& problem, const Config& config) const override {
    const auto* entry = find(problem);
    if (entry == nullptr) return std::nullopt;
    const auto found = (*entry)->trials.find(config);
    if (found == (*entry)->trials.end()) return std::nullopt;
    return found->second;
  }

  std::optional<ReplayedTrial> vendor(const Problem& problem) const override {
    const auto* entry = find(problem);
    return entry == nullptr ? std::nullopt : (*entry)->vendor;
  }

 private:
  const std::shared_ptr<const ListedProblem>* find(const Problem& problem) const {
    const auto [begin, end] = positions_.equal_range(hash_of(problem));
    for (auto it = begin; it != end; ++it) {
      if (entries_[it->second]->problem == problem) return &entries_[it->second];
    }
    return nullptr;
  }

  Target target_;
  std::vector<std::shared_ptr<const ListedProblem>> entries_;
  std::unordered_multimap<uint64_t, size_t> positions_;  // by hash_of
};

}  // namespace

std::shared_ptr<const ReplaySource> make_listed_source(Target target,
                                                       std::vector<ListedProblem> problems) {
  return std::make_shared<const ListedSource>(std::move(target), std::move(problems));
}

}  // namespace triode
