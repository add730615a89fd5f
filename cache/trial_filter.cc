// SPDX-License-Identifier: Apache-2.0
#include "cache/trial_filter.h"

#include <algorithm>
#include <cctype>

namespace triode {

bool matches_device(const TrialFilter& filter, const std::string& device) {
  const auto is_same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(device.begin(), device.end(), filter.device.begin(), filter.device.end(),
                     is_same) != device.end() ||
         filter.device.empty();
}

bool matches_problem(const TrialFilter& filter, const Problem& problem) {
  if (filter.problem && *filter.problem != problem) return false;
  if (filter.op && *filter.op != problem.op) return false;
  if (filter.dtype && *filter.dtype != problem.a_type) return false;
  return filter.m.has(problem.m) && filter.n.has(problem.n) && filter.k.has(problem.k);
}

bool chooses_problems(const TrialFilter& filter) {
  const SizeRange any;
  return filter.problem || filter.op || filter.dtype || filter.m != any || filter.n != any ||
         filter.k != any;
}

}  // namespace triode
