// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace triode::bench {

struct Interval {
  double low = 0, high = 0;
};

// 95 % confidence interval of the median, from the ranks of the values alone, so that it holds
// whatever they are spread like. Fewer than six values cannot give one: all of their range. Not
// empty.
Interval median_interval(std::vector<double> values);

}  // namespace triode::bench
