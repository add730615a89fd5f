// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "learner/model/cost_model.h"
#include "learner/model/shadow_gate.h"
#include "learner/model/snapshot.h"
#include "runtime/device/replay_device.h"

namespace triode {

// An H100 on which the time of a config of triton_like_space() is what the model thinks, but for a
// law it does not know: blocks for warpgroups gain `per_stage` (of ln time) by each stage of their
// pipeline. One config in eight fails.
class MadeUpSource final : public ReplaySource {
 public:
  explicit MadeUpSource(std::shared_ptr<const CostModel> model, double per_stage = 0.25);

  const Target& target() const override { return target_; }
  std::vector<Problem> problems() const override;  // sixty
  Result<Space> space(const Problem&) const override;
  std::optional<ReplayedTrial> trial(const Problem& problem, const Config& config) const override;
  std::optional<ReplayedTrial> vendor(const Problem&) const override { return std::nullopt; }

  // Best time among the configs that run, by the recorded medians.
  double best_ns(const Problem& problem, const std::vector<Config>& configs) const;

 private:
  std::shared_ptr<const CostModel> model_;
  double per_stage_;
  Target target_;
};

// small_snapshot() with a basis in which that law can be learned.
Snapshot with_mechanism_features();

// Knows an A100: a small first net, as a shipped one's, and three that re-rank. As training leaves
// them, no net reads the features that are zero on an A100.
Snapshot model_of_an_a100();

// All that a replay of the source measures of every seventh config, problem by problem.
std::vector<HeldBackProblem> made_up_timings(const std::shared_ptr<const MadeUpSource>& source);

}  // namespace triode
