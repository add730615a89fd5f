// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/status.h"

namespace triode {

// What was learned since the nets were trained, and how sure of it we are: a Gaussian over a
// correction w to the rank, w . basis(config). The basis is the input of the first rank net's last
// layer, then some standardised features. With mean zero this is the trained model; a covariance of
// the inverse Gram matrix of the training data, tempered, says how far it may move where.
struct OnlineState {
  std::vector<uint16_t> features;  // appended to the basis: positions in the feature table
  std::vector<double> mean;        // of w; as long as the basis
  std::vector<double> covariance;  // of w; row-major, symmetric, positive definite
  double noise = 0.08;   // standard deviation of one ln time that the model cannot explain
  uint64_t updates = 0;  // batches learned since training

  size_t size() const { return mean.size(); }

  // Sizes agree, numbers are finite, the covariance is symmetric with a positive diagonal.
  Status validate(size_t net_basis_size, size_t feature_count) const;

  bool operator==(const OnlineState&) const = default;
};

inline constexpr size_t kMaxBasis = 512;

// Mean zero and covariance (sum over problems of the Gram matrix of centred basis rows, scaled so
// that it weighs as much as `inputs_worth` problems, / noise^2 + diag(ridge))^-1.
// `gram` is that sum, row-major, over `problems` problems; `ridge` is the precision of each weight
// of which training said nothing. kInvalidArgument if it cannot be inverted.
Result<OnlineState> tempered_prior(std::vector<double> gram, size_t problems, double inputs_worth,
                                   double noise, std::span<const double> ridge,
                                   std::vector<uint16_t> features);

}  // namespace triode
