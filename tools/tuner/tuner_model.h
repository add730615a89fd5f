// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cache/model_store.h"
#include "core/status.h"
#include "learner/model/cost_model.h"

namespace triode::tuner {

struct TunerModel {
  std::shared_ptr<const CostModel> model;  // null where none is wanted or shipped
  std::string origin;                      // "shipped", "promoted" or "file"
  int64_t learned_until = 0;               // see learned_until() of a store
};

// The model that a tuner begins with: that of the file, "none", or, if the text is empty, the one
// in force for the cpu: promoted in `store` (null: no cache), else the shipped one. An
// error for a file that is no model of a cpu.
Result<TunerModel> load_tuner_model(const std::string& file_or_none, const ModelStore* store);

// The one in force for devices of that kind.
Result<TunerModel> load_model_in_force(DeviceKind kind, const ModelStore* store);

}  // namespace triode::tuner
