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

void BayesianLayer::update(std::span<const float> rows, std::span<const double> residuals) {
  ProblemMemory memory;
  update(rows, residuals, memory);
}

// With an offset of which nothing is known, n rows teach what n - 1 differences do: each row
// against the mean of those before it, weighted by sqrt((n - 1) / n) so that its noise is that of
// one timing (Helmert's contrasts). The differences are independent, so each is an update of rank
// one.
void BayesianLayer::update(std::span<const float> rows, std::span<const double> residuals,
                           ProblemMemory& memory) {
  const size_t n = state_.size();
  assert(rows.size() == residuals.size() * n);
  memory.mean_row.resize(n, 0);
  std::vector<double> difference(n);
  for (size_t r = 0; r < residuals.size(); ++r) {
    const auto before = static_cast<double>(memory.count++);
    const double weight = std::sqrt(before / (before + 1));
    for (size_t i = 0; i < n; ++i) {
      const double raw = rows[r * n + i] - memory.mean_row[i];
      difference[i] = weight * raw;
      memory.mean_row[i] += raw / (before + 1);
    }
    const double residual = residuals[r] - memory.mean_residual;
    memory.mean_residual += residual / (before + 1);
    if (before > 0) update_one(difference, weight * residual);
  }
  if (memory.count > 1) ++state_.updates;
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

std::vector<std::vector<double>> BayesianLayer::draw(Random& random, size_t count) const {
  const size_t n = state_.size();
  std::vector<double> factor = state_.covariance;
  std::vector<std::vector<double>> samples(count, state_.mean);
  // A covariance that rounding has made indefinite leaves the mean: no draw beats a wild one.
  if (!cholesky(factor, n)) return samples;
  std::vector<double> noise(n);
  for (std::vector<double>& sample : samples) {
    for (double& value : noise) value = normal(random);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j <= i; ++j) sample[i] += factor[i * n + j] * noise[j];
    }
  }
  return samples;
}

}  // namespace triode
