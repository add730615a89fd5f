// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/random.h"
#include "core/status.h"
#include "learner/model/online_state.h"

namespace triode {

// What was learned of one problem so far, so that more timings of it can be told from an offset:
// the means of its rows and residuals.
struct ProblemMemory {
  size_t count = 0;
  std::vector<double> mean_row;
  double mean_residual = 0;
};

// Learns a linear correction to the rank from timings, in closed form: a Kalman update of rank k
// for k timings of one problem. Only differences within the problem teach: the result is the exact
// posterior when nothing is known of the problem's offset, in whichever batches its timings come.
// Not thread-safe. With a basis of 72 and three timings an update takes about 20 us.
class BayesianLayer {
 public:
  explicit BayesianLayer(OnlineState state);

  const OnlineState& state() const { return state_; }

  // `rows` is k x size, row-major; `residuals` are ln time less the score the nets gave, without
  // this layer's correction. All must be finite. The first timing of a problem teaches nothing.
  void update(std::span<const float> rows, std::span<const double> residuals,
              ProblemMemory& memory);
  void update(std::span<const float> rows, std::span<const double> residuals);

  double correction(std::span<const float> row) const;  // mean of w . row
  // Standard deviation of w . (row - reference): how unsure the order of two candidates is.
  double stddev(std::span<const float> row, std::span<const float> reference) const;

  // Draws of w, for Thompson sampling: w . row orders candidates as one plausible world would. One
  // factorisation of the covariance, some 100 us, whatever the count.
  std::vector<std::vector<double>> draw(Random& random, size_t count) const;

 private:
  void update_one(std::span<const double> row, double residual);

  OnlineState state_;
  std::vector<double> gain_;  // scratch of update_one
};

}  // namespace triode
