// SPDX-License-Identifier: Apache-2.0
#include "learner/train/feature_matrix.h"

#include <algorithm>
#include <cmath>

#include "learner/model/feature_extractor.h"

namespace triode::train {
namespace {

// Below this a deviation is rounding, not variation.
constexpr double kNoVariation = 1e-5;

Status append_problem(const TimedProblem& timed, FeatureMatrix& matrix) {
  const FeatureExtractor extractor = TRIODE_TRY(FeatureExtractor::make(timed.task()));
  const FeatureTable& table = extractor.table();
  if (matrix.table != nullptr && matrix.table != &table) {
    return unsupported("timings of cpus and gpus cannot train one model; give them apart");
  }
  matrix.table = &table;
  const size_t count = timed.configs.size();
  std::vector<float> columns(table.size() * count);
  extractor.extract(timed.configs, columns.data(), count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t f = 0; f < table.size(); ++f) matrix.x.push_back(columns[f * count + i]);
    matrix.fits.push_back(extractor.fit(timed.configs[i]) == Fit::kFits ? 1 : 0);
  }
  matrix.roof_s.push_back(extractor.roof_s());
  matrix.first.push_back(matrix.fits.size());
  return {};
}

struct Moments {
  std::vector<double> mean;
  std::vector<double> deviation;
};

Moments moments(const FeatureMatrix& matrix, std::span<const size_t> chosen) {
  const size_t features = matrix.features();
  std::vector<double> sum(features);
  std::vector<double> squares(features);
  double count = 0;
  for (const size_t problem : chosen) {
    for (size_t row = matrix.first[problem]; row < matrix.first[problem + 1]; ++row) {
      if (matrix.fits[row] == 0) continue;
      count += 1;
      for (size_t f = 0; f < features; ++f) {
        const double value = matrix.row(row)[f];
        sum[f] += value;
        squares[f] += value * value;
      }
    }
  }
  Moments result;
  for (size_t f = 0; f < features; ++f) {
    const double mean = count > 0 ? sum[f] / count : 0;
    const double variance = count > 0 ? squares[f] / count - mean * mean : 0;
    result.mean.push_back(mean);
    result.deviation.push_back(std::sqrt(std::max(variance, 0.0)));
  }
  return result;
}

}  // namespace

Result<FeatureMatrix> extract_features(std::span<const TimedProblem> problems) {
  FeatureMatrix matrix;
  matrix.first.push_back(0);
  for (const TimedProblem& timed : problems) TRIODE_TRY(append_problem(timed, matrix));
  if (matrix.table == nullptr) return invalid_argument("there are no timings to learn from");
  return matrix;
}

Standardisation standardise(const FeatureMatrix& matrix, std::span<const size_t> chosen) {
  const Moments of = moments(matrix, chosen);
  Standardisation result;
  for (size_t f = 0; f < matrix.features(); ++f) {
    const bool varies = of.deviation[f] > kNoVariation;
    result.mean.push_back(static_cast<float>(of.mean[f]));
    result.inverse_std.push_back(varies ? static_cast<float>(1 / of.deviation[f]) : 1.0F);
  }
  return result;
}

std::vector<uint16_t> varying_features(const FeatureMatrix& matrix, std::span<const size_t> chosen,
                                       size_t scope_limit) {
  const Moments of = moments(matrix, chosen);
  std::vector<uint16_t> varying;
  for (size_t f = 0; f < std::min(scope_limit, matrix.features()); ++f) {
    if (of.deviation[f] > kNoVariation) varying.push_back(static_cast<uint16_t>(f));
  }
  return varying;
}

void append_standardised(const FeatureMatrix& matrix, size_t row,
                         const Standardisation& standardisation, std::span<const uint16_t> inputs,
                         std::vector<float>& out) {
  const std::span<const float> raw = matrix.row(row);
  for (const uint16_t f : inputs) {
    const float value = (raw[f] - standardisation.mean[f]) * standardisation.inverse_std[f];
    out.push_back(std::clamp(value, -standardisation.clip, standardisation.clip));
  }
}

}  // namespace triode::train
