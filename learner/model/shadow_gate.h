// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/kernel_family.h"
#include "core/problem.h"
#include "core/space.h"
#include "learner/model/cost_model.h"
#include "learner/model/device_traits.h"

namespace triode {

// A problem with all its timings, kept back from learning.
struct HeldBackProblem {
  Problem problem;
  std::shared_ptr<const Space> space;
  std::shared_ptr<const DeviceTraits> device;
  KernelFamily family = KernelFamily::kTriton;
  std::vector<Config> configs;
  std::vector<double> seconds;  // one per config; not finite: it did not run
};

struct GateOptions {
  double most_loss = 0.002;   // regret may rise by this on each device: 0.2 points, the noise
  size_t least_problems = 8;  // fewer on a device say nothing, and are not judged
};

struct DeviceRegret {
  std::string device;
  size_t problems = 0;
  double current = 1;  // geometric mean of (time of the model's first choice / best time)
  double candidate = 1;
};

struct GateVerdict {
  bool passed = false;
  std::string reason;  // in words, for the log: which device, from what to what
  std::vector<DeviceRegret> devices;
};

// Regret of a model's first choice for each problem that it can rank, as ln (time / best).
std::vector<double> log_regrets(const CostModel& model, std::span<const HeldBackProblem> problems);

// Two models side by side on problems that were held back, one after the other, so that a judgement
// can be left and gone on with. The models must outlive it.
class ShadowJudgement {
 public:
  ShadowJudgement(const CostModel& current, const CostModel& candidate)
      : current_(current), candidate_(candidate) {}

  void add(const HeldBackProblem& held);  // ranks it twice: some 200 us

  // Passed if the candidate loses more than allowed on no device, and something could be judged.
  GateVerdict verdict(const GateOptions& options) const;

 private:
  struct Sums {
    size_t problems = 0;
    double current = 0;  // of ln regret
    double candidate = 0;
  };
  const CostModel& current_;
  const CostModel& candidate_;
  std::map<std::string, Sums> by_device_;
};

// Whether `candidate` may replace `current`, by a whole slice.
GateVerdict judge(const CostModel& current, const CostModel& candidate,
                  std::span<const HeldBackProblem> slice, const GateOptions& options);

// One line for the log: which model was swapped in for which, or rolled back, and why.
std::string to_string(const GateVerdict& verdict, const CostModel& current,
                      const CostModel& candidate);

// The model in use, and the way to another one. Thread-safe: current() never waits for a judgement.
class ModelSlot {
 public:
  using Log = std::function<void(const std::string& line)>;

  ModelSlot(std::shared_ptr<const CostModel> model, Log log);

  std::shared_ptr<const CostModel> current() const;

  // Swaps the candidate in if it passes, else keeps the current one; either way one line is logged.
  GateVerdict offer(std::shared_ptr<const CostModel> candidate,
                    std::span<const HeldBackProblem> slice, const GateOptions& options);

  // Back to the model before the last swap; false if there is none. Logged.
  bool roll_back(const std::string& reason);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const CostModel> model_;
  std::shared_ptr<const CostModel> previous_;
  Log log_;
};

}  // namespace triode
