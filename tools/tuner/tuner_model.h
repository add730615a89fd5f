// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/status.h"
#include "learner/model/cost_model.h"

namespace triode::tuner {

// The model that a tuner begins with: that of the file, "none", or, if the text is empty, the one
// that is shipped for this machine, ../share/triode/snapshots/cpu-x86.snapshot of this program.
// Null where none is wanted or shipped; an error for a file that is no model of a cpu.
Result<std::shared_ptr<const CostModel>> load_tuner_model(const std::string& file_or_none);

}  // namespace triode::tuner
