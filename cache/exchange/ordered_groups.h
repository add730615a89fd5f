// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace triode::exchange {

// Things by name, in the order in which their names first came up.
template <typename T>
class OrderedGroups {
 public:
  // The thing of that name; a new one if there is none. Valid until the next call.
  T& at(const std::string& name) {
    const auto [place, is_new] = positions_.emplace(name, groups_.size());
    if (is_new) groups_.emplace_back(name, T{});
    return groups_[place->second].second;
  }

  auto begin() const { return groups_.begin(); }
  auto end() const { return groups_.end(); }
  bool empty() const { return groups_.empty(); }
  size_t size() const { return groups_.size(); }

 private:
  std::vector<std::pair<std::string, T>> groups_;
  std::unordered_map<std::string, size_t> positions_;
};

}  // namespace triode::exchange
