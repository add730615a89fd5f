// SPDX-License-Identifier: Apache-2.0
#include "learner/model/online_state.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "learner/model/symmetric_matrix.h"

namespace triode {
namespace {

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

Status OnlineState::validate(size_t net_basis_size, size_t feature_count) const {
  const size_t n = size();
  if (n != net_basis_size + features.size() || n > kMaxBasis || covariance.size() != n * n) {
    return invalid_argument("the online state is of size " + std::to_string(n) + ", the basis of " +
                            std::to_string(net_basis_size + features.size()));
  }
  for (const uint16_t feature : features) {
    if (feature >= feature_count) return invalid_argument("the online state reads no such feature");
  }
  if (!std::isfinite(noise) || noise <= 0 || !all_finite(mean) || !all_finite(covariance)) {
    return invalid_argument("the online state holds a number that cannot be");
  }
  for (size_t row = 0; row < n; ++row) {
    if (covariance[row * n + row] <= 0) return invalid_argument("a variance is not positive");
    for (size_t column = 0; column < row; ++column) {
      if (covariance[row * n + column] != covariance[column * n + row]) {
        return invalid_argument("the online state's covariance is not symmetric");
      }
    }
  }
  return {};
}

Result<OnlineState> tempered_prior(std::vector<double> gram, size_t problems, double inputs_worth,
                                   double noise, std::span<const double> ridge,
                                   std::vector<uint16_t> features) {
  const size_t n = ridge.size();
  const bool all_known = std::all_of(ridge.begin(), ridge.end(), [](double r) { return r > 0; });
  if (n == 0 || n * n != gram.size() || problems == 0 || !(noise > 0) || !all_known) {
    return invalid_argument(
        "a prior needs a square Gram matrix, and noise and a ridge for each row above zero");
  }
  const double scale = inputs_worth / static_cast<double>(problems) / (noise * noise);
  for (double& value : gram) value *= scale;
  for (size_t i = 0; i < n; ++i) gram[i * n + i] += ridge[i];
  if (!cholesky(gram, n)) return invalid_argument("the Gram matrix cannot be inverted");
  OnlineState state;
  state.features = std::move(features);
  state.mean.assign(n, 0);
  state.covariance = inverse_from_cholesky(gram, n);
  state.noise = noise;
  return state;
}

}  // namespace triode
