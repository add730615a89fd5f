// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/status.h"
#include "learner/model/device_traits.h"
#include "learner/model/feature_table.h"
#include "learner/model/snapshot.h"
#include "learner/train/timed_problem.h"

namespace triode::train {

// The features of every config of some problems, computed once for all trainings on them.
struct FeatureMatrix {
  const FeatureTable* table = nullptr;
  std::vector<float> x;        // raw, row-major, table->size() a row
  std::vector<size_t> first;   // row of each problem's first config; one more at the end
  std::vector<double> roof_s;  // per problem: FeatureExtractor::roof_s
  std::vector<uint8_t> fits;   // per row: 0 if the config cannot run by what is known

  size_t features() const { return table->size(); }
  std::span<const float> row(size_t index) const {
    return {x.data() + index * features(), features()};
  }
};

// All problems must be of one device kind. kUnsupported if one cannot be featurised.
Result<FeatureMatrix> extract_features(std::span<const TimedProblem> problems);

// Mean and deviation of every feature over the configs of the `chosen` problems that fit.
Standardisation standardise(const FeatureMatrix& matrix, std::span<const size_t> chosen);

// Positions of the features that vary over the `chosen` problems, rising: the inputs of a net. With
// `scope_limit`, only among the first so many.
std::vector<uint16_t> varying_features(const FeatureMatrix& matrix, std::span<const size_t> chosen,
                                       size_t scope_limit);

// Appends the standardised values of `inputs` of one row.
void append_standardised(const FeatureMatrix& matrix, size_t row,
                         const Standardisation& standardisation, std::span<const uint16_t> inputs,
                         std::vector<float>& out);

}  // namespace triode::train
