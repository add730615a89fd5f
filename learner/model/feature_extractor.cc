// SPDX-License-Identifier: Apache-2.0
#include "learner/model/feature_extractor.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "learner/model/feature_kind.h"

namespace triode {

FeatureExtractor::FeatureExtractor(std::unique_ptr<const Kind> kind) : kind_(std::move(kind)) {}
FeatureExtractor::~FeatureExtractor() = default;
FeatureExtractor::FeatureExtractor(FeatureExtractor&&) noexcept = default;
FeatureExtractor& FeatureExtractor::operator=(FeatureExtractor&&) noexcept = default;

Result<FeatureExtractor> FeatureExtractor::make(const RankingTask& task) {
  TRIODE_TRY(task.problem.validate());
  if (task.problem.m == 0 || task.problem.n == 0 || task.problem.k == 0) {
    return unsupported("an empty product has no features: \"" + to_string(task.problem) + "\"");
  }
  const bool is_gpu = task.device.kind == DeviceKind::kGpu;
  return FeatureExtractor(TRIODE_TRY(is_gpu ? make_gpu_kind(task) : make_cpu_kind(task)));
}

const FeatureTable& FeatureExtractor::table() const {
  return kind_->table();
}

void FeatureExtractor::extract(std::span<const Config> configs, float* columns,
                               size_t stride) const {
  const std::span<const float> problem = problem_features();
  for (size_t f = 0; f < problem.size(); ++f) {
    std::fill_n(columns + f * stride, configs.size(), problem[f]);
  }
  extract_varying(configs, columns + problem.size() * stride, stride);
}

void FeatureExtractor::extract_varying(std::span<const Config> configs, float* columns,
                                       size_t stride) const {
  kind_->extract_varying(configs, columns, stride);
}

std::span<const float> FeatureExtractor::problem_features() const {
  return kind_->problem_features();
}
double FeatureExtractor::roof_s() const {
  return kind_->roof_s();
}
double FeatureExtractor::launch_s() const {
  return kind_->launch_s();
}
double FeatureExtractor::analytical_s(const Config& config) const {
  return kind_->analytical_s(config);
}
Fit FeatureExtractor::fit(const Config& config) const {
  return kind_->fit(config);
}
int FeatureExtractor::mechanism(const Config& config) const {
  return kind_->mechanism(config);
}

Result<size_t> required_position(const Space& space, std::string_view name) {
  if (const auto position = space.position_of(name)) return *position;
  return unsupported("the features need a parameter \"" + std::string(name) +
                     "\", which the space does not have");
}

double log2_alignment(int64_t ld, double element_bytes) {
  const int64_t divisor = ld == 0 ? 64 : std::min<int64_t>(64, ld & -ld);
  return std::log2(std::min(128.0, element_bytes * static_cast<double>(divisor)));
}

}  // namespace triode
