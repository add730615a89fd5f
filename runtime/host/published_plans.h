// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace triode::host {

// What became of an entry that was looked into.
enum class PlanState : uint8_t {
  kPlanned,      // a plan of ours answers
  kVendorStays,  // nothing was found that beats the vendor
  kWithdrawn,    // a plan answered, and turned out slower in the program than the vendor
};

struct PublishedPlan {
  PlanState state = PlanState::kVendorStays;
  std::string config;  // empty where none was found
  double speedup = 0;  // as measured when it was found; 0: not measured
  std::string remark;  // why, where that is not plain
};

// The decisions of this process, by index of their entry: for those who report and explain. Any
// thread.
class PublishedPlans {
 public:
  void set(size_t entry_index, PublishedPlan plan) {
    const std::lock_guard lock(mutex_);
    plans_[entry_index] = std::move(plan);
  }
  std::optional<PublishedPlan> find(size_t entry_index) const {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(entry_index);
    return found == plans_.end() ? std::nullopt : std::optional(found->second);
  }

  // For the moment of a fork.
  std::mutex& mutex() { return mutex_; }

 private:
  mutable std::mutex mutex_;
  std::map<size_t, PublishedPlan> plans_;
};

}  // namespace triode::host
