// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "core/status.h"
#include "learner/model/cost_model.h"
#include "runtime/device/cpu_device.h"

namespace triode::python {

// Chooses a kernel of the CPU's for a problem without timing any, by a snapshot. Immutable: any
// number of threads may choose at once.
class CpuChooser {
 public:
  static Result<CpuChooser> load(const std::string& path);
  static Result<CpuChooser> make(Snapshot snapshot);

  const Snapshot& snapshot() const { return model_->snapshot(); }
  const std::string& digest() const { return model_->digest(); }

  // The config that the model expects to be the fastest, of those that did well in kind and of some
  // hundred others; the best guess where the model has nothing to say. The same problem on the same
  // device gives the same one. kUnsupported if the device has no kernel for it.
  Result<Config> choose(const CpuDevice& device, const Problem& problem) const;

  // The model with what these timings, in seconds, teach it, as a new snapshot.
  Result<Snapshot> learned(const CpuDevice& device, const Problem& problem,
                           const std::vector<std::pair<Config, double>>& timed) const;

 private:
  explicit CpuChooser(CostModel model)
      : model_(std::make_shared<const CostModel>(std::move(model))) {}

  std::shared_ptr<const CostModel> model_;
};

}  // namespace triode::python
