// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cache/model_store.h"
#include "core/target.h"
#include "learner/model/cost_model.h"
#include "runtime/tuner/event_log.h"
#include "runtime/tuner/gpu_ranker.h"
#include "runtime/tuner/learned_ranker.h"
#include "runtime/tuner/ranker.h"

namespace triode::tuner {

// Who ranks the kernels of each GPU: the model in force for gpus over a GpuRanker, on the gpus that
// its features know by name (A100 and H100 of what is shipped), and elsewhere the GpuRanker alone.
//
// A model that was trained on the templates of torch.compile and not on our Triton matmul, which
// runs the same loop over tiles, is asked as if our kernel were such a template: half of what is
// tried is its choice, half the GpuRanker's, and it learns nothing of ours. One thread.
class GpuRankers {
 public:
  // `store`, which may be null, and `events` must outlive this. `uses_model`: false for a tuner
  // that is to rank without one.
  GpuRankers(const ModelStore* store, EventLog& events, bool uses_model)
      : store_(store), events_(events), uses_model_(uses_model) {}

  // Loads the model when the first such gpu is asked for.
  Ranker& of(const Target& target);

 private:
  std::unique_ptr<LearnedRanker> learned_for(const Target& target);
  void load_model();

  const ModelStore* const store_;
  EventLog& events_;
  bool uses_model_;
  GpuRanker alone_;
  std::shared_ptr<const CostModel> model_;
  std::map<std::string, std::unique_ptr<LearnedRanker>> learned_;  // by device; null: none
};

}  // namespace triode::tuner
