// SPDX-License-Identifier: Apache-2.0
#include "learner/model/bayesian_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"
#include "learner/model/symmetric_matrix.h"
#include "tests/core/status_matchers.h"

namespace triode {
namespace {

constexpr size_t kSize = 6;

std::vector<float> drawn_rows(size_t count, Random& random) {
  std::vector<float> rows(count * kSize);
  for (float& value : rows) value = static_cast<float>(2 * random.uniform() - 1);
  return rows;
}

std::vector<double> drawn_residuals(size_t count, Random& random) {
  std::vector<double> residuals(count);
  for (double& value : residuals) value = random.uniform();
  return residuals;
}

OnlineState prior() {
  Random random(4);
  std::vector<double> gram(kSize * kSize, 0);
  for (int problem = 0; problem < 10; ++problem) {
    const std::vector<float> row = drawn_rows(1, random);
    for (size_t i = 0; i < kSize; ++i) {
      for (size_t j = 0; j < kSize; ++j) gram[i * kSize + j] += double{row[i]} * row[j];
    }
  }
  return *tempered_prior(gram, 10, 2, 0.1, std::vector<double>(kSize, 3), {});
}

std::vector<double> inverse(std::vector<double> matrix) {
  EXPECT_TRUE(cholesky(matrix, kSize));
  return inverse_from_cholesky(matrix, kSize);
}

// The posterior by the book: precision L0 + X' C X / noise^2, information L0 m0 + X' C y / noise^2,
// with C = I - 11'/k, which is what integrating a flat offset out leaves.
OnlineState closed_form(const OnlineState& before, const std::vector<float>& x,
                        const std::vector<double>& y) {
  const size_t count = y.size();
  std::vector<double> precision = inverse(before.covariance);
  std::vector<double> information(kSize, 0);
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t j = 0; j < kSize; ++j) {
      information[i] += precision[i * kSize + j] * before.mean[j];
    }
  }
  const double weight = 1 / (before.noise * before.noise);
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = 0; b < count; ++b) {
      const double c = ((a == b ? 1.0 : 0.0) - 1.0 / static_cast<double>(count)) * weight;
      for (size_t i = 0; i < kSize; ++i) {
        information[i] += c * x[a * kSize + i] * y[b];
        for (size_t j = 0; j < kSize; ++j) {
          precision[i * kSize + j] += c * x[a * kSize + i] * x[b * kSize + j];
        }
      }
    }
  }
  OnlineState after = before;
  after.covariance = inverse(precision);
  for (size_t i = 0; i < kSize; ++i) {
    after.mean[i] = 0;
    for (size_t j = 0; j < kSize; ++j) {
      after.mean[i] += after.covariance[i * kSize + j] * information[j];
    }
  }
  return after;
}

void expect_equal(const OnlineState& a, const OnlineState& b) {
  for (size_t i = 0; i < kSize; ++i) EXPECT_NEAR(a.mean[i], b.mean[i], 1e-9);
  for (size_t i = 0; i < kSize * kSize; ++i) EXPECT_NEAR(a.covariance[i], b.covariance[i], 1e-9);
}

TEST(BayesianLayer, GivesTheClosedFormPosterior) {
  Random random(1);
  OnlineState expected = prior();
  BayesianLayer layer(prior());
  for (const size_t count : {3, 2, 5, 1, 8}) {
    const std::vector<float> rows = drawn_rows(count, random);
    const std::vector<double> residuals = drawn_residuals(count, random);
    expected = closed_form(expected, rows, residuals);
    layer.update(rows, residuals);
    expect_equal(layer.state(), expected);
  }
}

TEST(BayesianLayer, LearnsTheSameFromTwoBatchesOfAProblemAsFromOne) {
  Random random(2);
  const std::vector<float> rows = drawn_rows(5, random);
  const std::vector<double> residuals = drawn_residuals(5, random);
  BayesianLayer at_once(prior());
  at_once.update(rows, residuals);
  BayesianLayer in_parts(prior());
  ProblemMemory memory;
  in_parts.update(std::span(rows).first(2 * kSize), std::span(residuals).first(2), memory);
  in_parts.update(std::span(rows).subspan(2 * kSize), std::span(residuals).subspan(2), memory);
  expect_equal(at_once.state(), in_parts.state());
}

TEST(BayesianLayer, LearnsNothingFromAnOffset) {
  Random random(3);
  const std::vector<float> rows = drawn_rows(4, random);
  std::vector<double> residuals = drawn_residuals(4, random);
  BayesianLayer plain(prior()), shifted(prior());
  plain.update(rows, residuals);
  for (double& residual : residuals) residual += 5;
  shifted.update(rows, residuals);
  expect_equal(plain.state(), shifted.state());
}

TEST(BayesianLayer, LearnsNothingFromOneTiming) {
  Random random(3);
  BayesianLayer layer(prior());
  layer.update(drawn_rows(1, random), std::vector<double>{2.0});
  EXPECT_EQ(layer.state(), prior());
}

TEST(BayesianLayer, StaysSymmetricAndValidOverManyUpdates) {
  Random random(5);
  BayesianLayer layer(prior());
  for (int i = 0; i < 3000; ++i) layer.update(drawn_rows(3, random), drawn_residuals(3, random));
  EXPECT_TRUE(layer.state().validate(kSize, 0).ok());
  EXPECT_EQ(layer.state().updates, 3000u);
}

TEST(BayesianLayer, IsLessUnsureOfWhatItHasSeen) {
  Random random(6);
  const std::vector<float> rows = drawn_rows(2, random);
  const std::span<const float> all(rows);
  BayesianLayer layer(prior());
  const double before = layer.stddev(all.first(kSize), all.subspan(kSize));
  layer.update(rows, std::vector<double>{0.1, 0.2});
  EXPECT_LT(layer.stddev(all.first(kSize), all.subspan(kSize)), before);
}

TEST(BayesianLayer, DrawsWithItsMeanAndCovariance) {
  OnlineState state = prior();
  state.mean[2] = 0.5;
  Random random(7);
  constexpr size_t kDraws = 20000;
  double sum = 0, squares = 0, product = 0, other = 0;
  for (const std::vector<double>& w : BayesianLayer(state).draw(random, kDraws)) {
    sum += w[2] / kDraws;
    other += w[4] / kDraws;
    squares += (w[2] - 0.5) * (w[2] - 0.5) / kDraws;
    product += (w[2] - 0.5) * w[4] / kDraws;
  }
  const double variance = state.covariance[2 * kSize + 2];
  EXPECT_NEAR(sum, 0.5, 5 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(squares, variance, 0.05 * variance);
  EXPECT_NEAR(product, state.covariance[2 * kSize + 4], 0.05 * variance);
}

TEST(TemperedPrior, RefusesAMatrixThatIsNotSquare) {
  const double kOne[] = {1};
  EXPECT_THAT(tempered_prior({1, 2, 3}, 1, 1, 0.1, kOne, {}),
              FailsWith(StatusCode::kInvalidArgument, ::testing::HasSubstr("square")));
}

TEST(TemperedPrior, RefusesAWeightOfWhichAnythingMayBeTrue) {
  const double kNone[] = {0};
  EXPECT_THAT(tempered_prior({8}, 4, 10, 0.5, kNone, {}),
              FailsWith(StatusCode::kInvalidArgument, ::testing::HasSubstr("ridge")));
}

TEST(TemperedPrior, WeighsAsManyInputsAsItIsTold) {
  // One feature, Gram 8 over 4 problems; worth 10 of them at noise 0.5: 8/4*10/0.25 + 1.
  const double kOne[] = {1};
  const Result<OnlineState> state = tempered_prior({8}, 4, 10, 0.5, kOne, {});
  ASSERT_TRUE(state.ok());
  EXPECT_NEAR(state->covariance[0], 1.0 / 81, 1e-12);
}

}  // namespace
}  // namespace triode
