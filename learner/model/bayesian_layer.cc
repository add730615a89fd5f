// SPDX-License-Identifier: Apache-2.0
#include "learner/model/bayesian_layer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "learner/model/symmetric_matrix.h"

namespace triode {
namespace {

// Standard normal, by Box and Muller: two uniform draws for one.
double normal(Random& random) {
  const double u = 1 - random.uniform();  // never zero
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * random.uniform());
}

}  // namespace

BayesianLayer::BayesianLayer(OnlineState state) : state_(std::move(state)) {}

// A batch of k rows is k updates of rank one. With rows centred over the batch, and the noise of
// each independent, this is the posterior under an offset of which nothing is known: integrating
// the offset out leaves the likelihood of the centred rows.
void BayesianLayer::update(std::span<const float> rows, std::span<const double> residuals) {
  const size_t n = state_.size();
  const size_t count = residuals.size();
  assert(rows.size() == count * n);
  if (count < 2) return;
  std::vector<double> centre(n, 0);
  double mean_residual = 0;
  for (size_t r = 0; r < count; ++r) {
    mean_residual += residuals[r] / static_cast<double>(count);
    for (size_t i = 0; i < n; ++i) centre[i] += rows[r * n + i] / static_cast<double>(count);
  }
  std::vector<double> row(n);
  for (size_t r = 0; r < count; ++r) {
    for (size_t i = 0; i < n; ++i) row[i] = rows[r * n + i] - centre[i];
    update_one(row, residuals[r] - mean_residual);
  }
  ++state_.updates;
}

void BayesianLayer::update_one(std::span<const double> row, double residual) {
  const size_t n = state_.size();
  gain_.assign(n, 0);
  double* covariance = state_.covariance.data();
  // Row by row, as it lies in memory: the matrix is symmetric.
  for (size_t i = 0; i < n; ++i) {
    const double* line = covariance + i * n;
    const double weight = row[i];
    for (size_t j = 0; j < n; ++j) gain_[j] += weight * line[j];
  }
  double variance = state_.noise * state_.noise;
  double surprise = residual;
  for (size_t i = 0; i < n; ++i) {
    variance += row[i] * gain_[i];
    surprise -= row[i] * state_.mean[i];
  }
  for (size_t i = 0; i < n; ++i) state_.mean[i] += gain_[i] / variance * surprise;
  // Scaled so that the product of two is the same in either order: the matrix stays symmetric.
  const double scale = 1 / std::sqrt(variance);
  for (double& value : gain_) value *= scale;
  for (size_t i = 0; i < n; ++i) {
    double* line = covariance + i * n;
    const double weight = gain_[i];
    for (size_t j = 0; j < n; ++j) line[j] -= weight * gain_[j];
    line[i] = std::max(line[i], 1e-12);  // rounding must not make a variance negative
  }
}

double BayesianLayer::correction(std::span<const float> row) const {
  double sum = 0;
  for (size_t i = 0; i < row.size(); ++i) sum += state_.mean[i] * row[i];
  return sum;
}

double BayesianLayer::stddev(std::span<const float> row, std::span<const float> reference) const {
  const size_t n = state_.size();
  double variance = 0;
  for (size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (size_t j = 0; j < n; ++j) {
      sum += state_.covariance[i * n + j] * (row[j] - reference[j]);
    }
    variance += (row[i] - reference[i]) * sum;
  }
  return std::sqrt(std::max(0.0, variance));
}

std::vector<double> BayesianLayer::draw(Random& random) const {
  const size_t n = state_.size();
  std::vector<double> factor = state_.covariance;
  std::vector<double> sample = state_.mean;
  // A covariance that rounding has made indefinite leaves the mean: no draw is better than a wild
  // one.
  if (!cholesky(factor, n)) return sample;
  std::vector<double> noise(n);
  for (double& value : noise) value = normal(random);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j <= i; ++j) sample[i] += factor[i * n + j] * noise[j];
  }
  return sample;
}

}  // namespace triode
