// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/config.h"
#include "core/status.h"
#include "learner/model/feature_table.h"
#include "learner/model/ranking_task.h"

namespace triode {

// Whether a config could run at all, by what is known of the device. Times are another matter.
enum class Fit : uint8_t { kFits, kTooMuchSharedMemory };

// Turns configs of one task into features. Copies what it needs of the task. Immutable once made;
// any thread may use it. Making one costs some microseconds and allocates; extracting allocates
// nothing. Values are bit for bit the same on every x86-64.
//
//   const FeatureExtractor extractor = TRIODE_TRY(FeatureExtractor::make(task));
//   std::vector<float> columns(extractor.table().size() * configs.size());
//   extractor.extract(configs, columns.data(), configs.size());
class FeatureExtractor {
 public:
  // kUnsupported if the space lacks a parameter that the features of this device kind cannot do
  // without, or the problem's types are unknown to them; the message names it.
  static Result<FeatureExtractor> make(const RankingTask& task);

  const FeatureTable& table() const;

  // Feature f of config i at columns[f * stride + i]; stride >= configs.size(). Raw: neither
  // standardised nor clipped. Always finite.
  void extract(std::span<const Config> configs, float* columns, size_t stride) const;
  // The same without the table's first problem_count features: row f - problem_count.
  void extract_varying(std::span<const Config> configs, float* columns, size_t stride) const;
  // The table's first problem_count features.
  std::span<const float> problem_features() const;

  // Least time the device could take for the problem, launch included: the larger of computing and
  // of moving each operand once.
  double roof_s() const;
  // The part of that which is no work: starting the kernel.
  double launch_s() const;
  // Time the analytical model gives a config: sensible where nothing was learned.
  double analytical_s(const Config& config) const;
  Fit fit(const Config& config) const;

  // Configs of different classes are made fast by different mechanisms of the device, so that
  // knowledge of one says little of another: below kMaxMechanisms. Of a gpu: whether the block can
  // use warpgroup instructions (also told apart where the device has none); of a cpu: the kind of
  // kernel and how b is packed.
  static constexpr int kMaxMechanisms = 8;
  int mechanism(const Config& config) const;

  ~FeatureExtractor();
  FeatureExtractor(FeatureExtractor&&) noexcept;
  FeatureExtractor& operator=(FeatureExtractor&&) noexcept;

  class Kind;  // what differs between device kinds

 private:
  explicit FeatureExtractor(std::unique_ptr<const Kind> kind);
  std::unique_ptr<const Kind> kind_;
};

}  // namespace triode
