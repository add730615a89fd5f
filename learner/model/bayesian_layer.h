// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/random.h"
#include "core/status.h"
#include "learner/model/online_state.h"

namespace triode {

// Learns a linear correction to the rank from timings, in closed form: a Kalman update of rank k
// for k timings of one problem. Rows and times are centred within the problem, which is the exact
// posterior when the problem's offset is unknown: only differences teach. Not thread-safe. With a
// basis of 72 and three timings an update takes about 20 us.
class BayesianLayer {
 public:
  explicit BayesianLayer(OnlineState state);

  const OnlineState& state() const { return state_; }

  // `rows` is k x size, row-major; `residuals` are ln time less the score the nets gave, without
  // this layer's correction. Fewer than two teach nothing. All must be finite.
  void update(std::span<const float> rows, std::span<const double> residuals);

  double correction(std::span<const float> row) const;  // mean of w . row
  // Standard deviation of w . (row - reference): how unsure the order of two candidates is.
  double stddev(std::span<const float> row, std::span<const float> reference) const;

  // A draw of w, for Thompson sampling: w . row orders candidates as one plausible world would.
  std::vector<double> draw(Random& random) const;

 private:
  void update_one(std::span<const double> row, double residual);

  OnlineState state_;
  std::vector<double> gain_;  // scratch of update_one
};

}  // namespace triode
