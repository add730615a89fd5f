// SPDX-License-Identifier: Apache-2.0
#include "learner/model/candidate_doubt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace triode {
namespace {

std::vector<float> mean_basis(const Ranking& ranking) {
  std::vector<float> mean(ranking.basis_size, 0);
  const float share = 1 / static_cast<float>(ranking.candidates.size());
  for (size_t c = 0; c < ranking.candidates.size(); ++c) {
    const std::span<const float> row = ranking.basis_of(c);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += row[i] * share;
  }
  return mean;
}

}  // namespace

// Row by row P x, as a layer of the block kernels, then x . (P x); x is centred over the
// candidates.
void set_stddevs(const OnlineState& online, std::span<const double> ensemble_variance,
                 const BlockKernels& kernels, Ranking& ranking) {
  const size_t n = online.size();
  const size_t count = ranking.candidates.size();
  const std::vector<float> centre = mean_basis(ranking);
  const std::vector<float> covariance(online.covariance.begin(), online.covariance.end());
  const std::vector<float> zero(n, 0);
  std::vector<float> x(n * kBlockColumns), product(n * kBlockColumns);
  for (size_t first = 0; first < count; first += kBlockColumns) {
    const size_t columns = std::min(kBlockColumns, count - first);
    for (size_t c = 0; c < columns; ++c) {
      const std::span<const float> row = ranking.basis_of(first + c);
      for (size_t i = 0; i < n; ++i) x[i * kBlockColumns + c] = row[i] - centre[i];
    }
    const auto size = static_cast<int32_t>(n);
    kernels.dense({covariance.data(), zero.data(), size, size, x.data(), product.data(),
                   BlockActivation::kNone});
    std::array<float, kBlockColumns> variance{};
    for (size_t i = 0; i < n; ++i) {
      for (size_t c = 0; c < kBlockColumns; ++c) {
        variance[c] += x[i * kBlockColumns + c] * product[i * kBlockColumns + c];
      }
    }
    for (size_t c = 0; c < columns; ++c) {
      ranking.candidates[first + c].stddev =
          std::sqrt(std::max(0.0F, variance[c]) + ensemble_variance[first + c]);
    }
  }
}

}  // namespace triode
