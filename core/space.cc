// SPDX-License-Identifier: Apache-2.0
#include "core/space.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

namespace triode {
namespace {

// Names and labels are words of a text of `name=value` tokens.
[[maybe_unused]] bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_of("= \t\r\n") == std::string_view::npos;
}

template <typename T>
[[maybe_unused]] bool are_distinct(const std::vector<T>& items) {
  return std::set<T>(items.begin(), items.end()).size() == items.size();
}

// Position among the listed values; empty if the value is not listed.
std::optional<size_t> position_in(const Parameter& parameter, int32_t value) {
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), value);
  if (found == parameter.values.end()) return std::nullopt;
  return static_cast<size_t>(found - parameter.values.begin());
}

}  // namespace

size_t Space::add(Parameter parameter) {
  assert(parameters_.size() < Config::kMaxParameters);
  assert(is_word(parameter.name) && !position_of(parameter.name));
  assert(!parameter.values.empty() && are_distinct(parameter.values));
  assert(parameter.labels.empty() || parameter.labels.size() == parameter.values.size());
  assert(std::all_of(parameter.labels.begin(), parameter.labels.end(), is_word));
  assert(are_distinct(parameter.labels));
  parameters_.push_back(std::move(parameter));
  return parameters_.size() - 1;
}

void Space::add_rule(std::string reason, Rule holds) {
  assert(holds != nullptr);
  rules_.push_back({parameters_.size(), std::move(reason), std::move(holds)});
}

std::optional<size_t> Space::position_of(std::string_view name) const {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].name == name) return i;
  }
  return std::nullopt;
}

uint64_t Space::product_size() const {
  uint64_t size = 1;
  for (const Parameter& parameter : parameters_) {
    if (__builtin_mul_overflow(size, parameter.values.size(), &size)) return UINT64_MAX;
  }
  return size;
}

std::optional<std::string> Space::why_illegal(const Config& config) const {
  if (config.size() != parameters_.size()) {
    return "it has " + std::to_string(config.size()) + " values, and the space has " +
           std::to_string(parameters_.size()) + " parameters";
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!position_in(parameters_[i], config[i])) {
      return parameters_[i].name + '=' + std::to_string(config[i]) + " is not among its values";
    }
  }
  for (const PrefixRule& rule : rules_) {
    if (!rule.holds(config)) return rule.reason;
  }
  return std::nullopt;
}

uint64_t Space::index_of(const Config& config) const {
  assert(config.size() == parameters_.size());
  uint64_t index = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const std::optional<size_t> position = position_in(parameters_[i], config[i]);
    assert(position.has_value() && "the value is not listed");
    index = index * parameters_[i].values.size() + position.value_or(0);
  }
  return index;
}

Config Space::at(uint64_t index) const {
  assert(index < product_size());
  Config config(parameters_.size());
  for (size_t i = parameters_.size(); i-- > 0;) {
    const std::vector<int32_t>& values = parameters_[i].values;
    config[i] = values[index % values.size()];
    index /= values.size();
  }
  return config;
}

bool Space::prefix_holds(size_t depth, const Config& config) const {
  auto rule = std::lower_bound(rules_.begin(), rules_.end(), depth,
                               [](const PrefixRule& r, size_t d) { return r.depth < d; });
  for (; rule != rules_.end() && rule->depth == depth; ++rule) {
    if (!rule->holds(config)) return false;
  }
  return true;
}

// Sets the parameters from `depth` on in every legal way. False once `visit` has said to stop.
bool Space::visit_from(size_t depth, Config& config,
                       const std::function<bool(const Config&)>& visit) const {
  if (depth == parameters_.size()) {
    // A rule that reads a parameter added after it would judge the whole config differently.
    assert(is_legal(config) && "a rule reads parameters that were added after it");
    return visit(config);
  }
  for (const int32_t value : parameters_[depth].values) {
    config[depth] = value;
    if (prefix_holds(depth + 1, config) && !visit_from(depth + 1, config, visit)) return false;
  }
  return true;
}

void Space::for_each(const std::function<bool(const Config&)>& visit) const {
  Config config(parameters_.size());
  if (prefix_holds(0, config)) visit_from(0, config, visit);
}

std::vector<Config> Space::enumerate(size_t limit) const {
  std::vector<Config> configs;
  if (limit == 0) return configs;
  for_each([&](const Config& config) {
    configs.push_back(config);
    return configs.size() < limit;
  });
  return configs;
}

uint64_t Space::count_legal() const {
  uint64_t count = 0;
  for_each([&count](const Config&) {
    ++count;
    return true;
  });
  return count;
}

// Sets parameter `depth` to one of the values that the rules still allow. False if there is none.
bool Space::draw_value(size_t depth, Config& config, Random& random) const {
  std::vector<int32_t> left = parameters_[depth].values;
  while (!left.empty()) {
    const size_t drawn = random.below(left.size());
    config[depth] = left[drawn];
    if (prefix_holds(depth + 1, config)) return true;
    left.erase(left.begin() + static_cast<ptrdiff_t>(drawn));
  }
  return false;
}

std::optional<Config> Space::sample(Random& random, int attempts) const {
  Config config(parameters_.size());
  if (!prefix_holds(0, config)) return std::nullopt;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    size_t depth = 0;
    while (depth < parameters_.size() && draw_value(depth, config, random)) ++depth;
    if (depth == parameters_.size()) return config;
  }
  return std::nullopt;
}

}  // namespace triode
