// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/clock.h"
#include "core/status.h"
#include "learner/model/cost_model.h"
#include "learner/model/net.h"
#include "learner/model/shadow_gate.h"
#include "learner/model/snapshot.h"

namespace triode {

struct ReplayRecipe {
  double learning_rate = 3e-3;  // at first; more learns faster, and forgets faster
  double half_life = 300;       // steps after which the rate has halved; it falls as 1 / steps
  size_t batch = 8;             // problems a step
  double near_best = 0.1;       // a config weighs 1 / (near_best + ln regret), as in training
  // Of each net but the first, from the last one on, where the nets read all that varies. Fewer
  // tell devices apart less well.
  size_t trained_layers = kMaxLayers;
  uint64_t seed = 0;
};

// Slow learning beside the closed form: gradient steps on the rank nets, on timings of the past, so
// that the blend of nets, trees and online state, which is what ranks, gets better. Needs no
// libtorch. What it makes is a candidate; a shadow gate decides. SlowLearner runs it as a tuner
// does.
//
//   ReplayTrainer trainer = TRIODE_TRY(ReplayTrainer::make(slot.current(), recipe));
//   trainer.run(buffer.replayed(), clock, slice);     // whenever the machine is idle
//   slot.offer(<model of trainer.candidate()>, buffer.held_back(), {});  // then make a new trainer
//
// Features that vary over the problems, but did not in training, are what sets a new device apart.
// If there are any, their weights alone are learned: the devices of the training, on which they are
// zero, lose nothing. Else all layers are, and rehearsed problems and the gate are what keeps the
// old devices. In either case the first net's hidden layers stay as
// they are, so the basis of the online state does too: a state that has learned on meanwhile still
// fits the candidate. What that state corrects already is not learned twice. Not thread-safe. The
// same model, problems, recipe and number of steps give the same candidate on the same kind of
// processor.
class ReplayTrainer {
 public:
  // kInvalidArgument for a recipe that cannot work.
  static Result<ReplayTrainer> make(std::shared_ptr<const CostModel> model,
                                    const ReplayRecipe& recipe);

  // One step on a batch drawn from `problems`, each device as often as the others; some
  // milliseconds. Problems that the model cannot read or of which fewer than two configs have a
  // time are passed over. kInvalidArgument if there are no problems.
  Status step(std::span<const HeldBackProblem> problems);

  // Steps until the slice is used up, one at least; the last may exceed it. Returns how many.
  Result<size_t> run(std::span<const HeldBackProblem> problems, const Clock& clock,
                     std::chrono::nanoseconds slice);

  uint64_t steps() const;

  // The model as it stands now. kInternal if a weight is no longer finite: such a model is lost.
  Result<Snapshot> candidate() const;

  ~ReplayTrainer();
  ReplayTrainer(ReplayTrainer&&) noexcept;
  ReplayTrainer& operator=(ReplayTrainer&&) noexcept;

 private:
  class Work;
  explicit ReplayTrainer(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace triode
