// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/config.h"
#include "core/status.h"
#include "learner/model/feature_extractor.h"
#include "learner/model/feature_table.h"

namespace triode {

// What a FeatureExtractor does for one kind of device; its functions are those of the extractor.
class FeatureExtractor::Kind {
 public:
  virtual ~Kind() = default;
  virtual const FeatureTable& table() const = 0;
  virtual void extract_varying(std::span<const Config> configs, float* columns,
                               size_t stride) const = 0;
  virtual std::span<const float> problem_features() const = 0;
  virtual double roof_s() const = 0;
  virtual double launch_s() const = 0;
  virtual double analytical_s(const Config& config) const = 0;
  virtual Fit fit(const Config& config) const = 0;
  virtual int mechanism(const Config& config) const = 0;
};

const FeatureTable& gpu_feature_table();
const FeatureTable& cpu_feature_table();
Result<std::unique_ptr<const FeatureExtractor::Kind>> make_gpu_kind(const RankingTask& task);
Result<std::unique_ptr<const FeatureExtractor::Kind>> make_cpu_kind(const RankingTask& task);

// Counts the problem's features and hashes the schema.
FeatureTable make_table(DeviceKind kind, std::span<const FeatureDescription> features,
                        std::span<const std::string_view> quantities);

// Position of a parameter the features need; kUnsupported if the space has none of that name.
Result<size_t> required_position(const Space& space, std::string_view name);

// L(min(128, bytes of the largest power of two, at most 64 elements, that divides ld)).
double log2_alignment(int64_t ld, double element_bytes);

}  // namespace triode
