// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/random.h"
#include "core/status.h"

namespace triode {

// A named parameter and the values it may take, in a fixed order.
struct Parameter {
  std::string name;
  std::vector<int32_t> values;
  std::vector<std::string>
      labels;  // empty, or one word per value, used in text instead of the number
};

// Every legal config for one problem on one target: the product of the parameters, less what the
// rules forbid. Built once, then const; a const Space may be read from any thread.
//
//   Space space;
//   space.add({"mr", {4, 6, 8}, {}});
//   space.add({"nr", {8, 16}, {}});
//   space.add_rule("mr x nr needs more registers than there are", [](const Config& c) { return ...;
//   });
class Space {
 public:
  using Rule = std::function<bool(const Config&)>;

  // Returns the parameter's position in a Config. Names are unique, values distinct and not empty.
  size_t add(Parameter parameter);

  // Forbids the configs for which `holds` is false. The rule may read the parameters added so far
  // and no others: enumeration applies it as soon as those are set, and so prunes whole subtrees.
  // `reason` completes "illegal config: ".
  void add_rule(std::string reason, Rule holds);

  std::span<const Parameter> parameters() const { return parameters_; }
  std::optional<size_t> position_of(std::string_view name) const;

  // Size of the product, legal or not: the range of index_of.
  uint64_t product_size() const;

  // The reason the config is not legal here; empty if it is.
  std::optional<std::string> why_illegal(const Config& config) const;
  bool is_legal(const Config& config) const { return !why_illegal(config).has_value(); }

  // Rank in the product, first parameter most significant, values in their listed order: stable
  // while the parameters are. The config's values must be among those listed.
  uint64_t index_of(const Config& config) const;
  Config at(uint64_t index) const;

  // Calls `visit` for each legal config in index order until it returns false.
  void for_each(const std::function<bool(const Config&)>& visit) const;
  std::vector<Config> enumerate(size_t limit = SIZE_MAX) const;
  uint64_t count_legal() const;

  // A legal config, drawn parameter by parameter among the values that the rules still allow: any
  // legal one may come up, though not all equally often. Starts over where no value is left; empty
  // after `attempts` such dead ends.
  std::optional<Config> sample(Random& random, int attempts = 1000) const;

  // "mr=6 nr=16 ...": every parameter, in order.
  std::string to_string(const Config& config) const;
  // Reads that text: any order, all parameters, each once. An error names the token, its column and
  // what would be accepted. The result is legal.
  Result<Config> parse(std::string_view text) const;

 private:
  struct PrefixRule {
    size_t depth;  // parameters that must be set before the rule can be asked
    std::string reason;
    Rule holds;
  };
  bool visit_from(size_t depth, Config& config,
                  const std::function<bool(const Config&)>& visit) const;
  bool draw_value(size_t depth, Config& config, Random& random) const;
  bool prefix_holds(size_t depth, const Config& config) const;

  std::vector<Parameter> parameters_;
  std::vector<PrefixRule> rules_;  // ordered by depth
};

}  // namespace triode
