// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/problem.h"
#include "core/status.h"
#include "learner/model/cost_model.h"
#include "learner/model/device_traits.h"

namespace triode::python {

// One config of a Triton matmul template: block_m, block_n, block_k, group_m, num_stages,
// num_warps.
using TemplateConfig = std::array<int32_t, 6>;

// What the model says of the configs of one problem.
struct TemplateRanking {
  struct Pick {
    size_t index = 0;          // in the configs that were ranked
    double relative_time = 1;  // predicted, over that of the first pick
    double stddev = 0;         // of its ln
    int mechanism = 0;         // see FeatureExtractor::mechanism
  };
  std::vector<Pick> picks;  // most wanted first
  size_t unfit = 0;         // configs that cannot run on the gpu
  // Predicted seconds of the first pick and of the vendor's kernel; empty where the model has no
  // such net.
  std::optional<double> best_s;
  std::optional<double> vendor_s;
  SupportVerdict support;
};

// Ranks configs of the matmul templates of torch.compile by a snapshot. Immutable: any number of
// threads may rank at once.
class TemplateRanker {
 public:
  static Result<TemplateRanker> load(const std::string& path);
  static Result<TemplateRanker> make(Snapshot snapshot);

  const Snapshot& snapshot() const { return model_->snapshot(); }
  const std::string& digest() const { return model_->digest(); }

  // Up to `count` configs to time, `doubtful_count` where the model extrapolates: the best, and
  // among them one of another mechanism while that might be better. kUnsupported where the model
  // has nothing to say: pass the configs through.
  Result<TemplateRanking> rank(const Problem& problem, const DeviceTraits& gpu,
                               const std::vector<TemplateConfig>& configs, size_t count,
                               size_t doubtful_count) const;

  // The model with what these timings, in seconds, teach it, as a new snapshot.
  Result<Snapshot> learned(const Problem& problem, const DeviceTraits& gpu,
                           const std::vector<std::pair<TemplateConfig, double>>& timed) const;

 private:
  explicit TemplateRanker(CostModel model)
      : model_(std::make_shared<const CostModel>(std::move(model))) {}

  std::shared_ptr<const CostModel> model_;
};

}  // namespace triode::python
