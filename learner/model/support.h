// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/kernel_family.h"
#include "core/problem.h"
#include "learner/model/ranking_task.h"

namespace triode {

enum class Support : uint8_t {
  kInSupport,     // like what the model was trained on
  kExtrapolated,  // the same tile loop on another op, device or size: usable, with more doubt
  kUnknown,       // another kind of kernel or type: the model has nothing to say
};
std::string_view to_string(Support support);  // "in support", "extrapolated", "unknown"

// What a model was trained on.
struct TrainingSupport {
  std::vector<std::string> devices;  // names of DeviceTraits
  std::vector<KernelFamily> families;
  std::vector<Op> ops;
  std::vector<DType> dtypes;  // of a; tf32 apart from f32
  // Least and greatest of each problem feature, in the table's order.
  std::vector<float> problem_least;
  std::vector<float> problem_greatest;

  bool operator==(const TrainingSupport&) const = default;
};

struct SupportVerdict {
  Support support = Support::kInSupport;
  std::string reason;  // empty if in support
};

// `problem_features` are those of the task's FeatureExtractor. A size outside what was trained by
// more than a factor of two counts as extrapolated, and vectors of another width.
SupportVerdict judge_support(const TrainingSupport& trained, const RankingTask& task,
                             std::span<const float> problem_features);

}  // namespace triode
