// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "core/status.h"
#include "tools/tuner/tuner_options.h"

namespace triode::tuner {

// `start`, `stop`, `status` and `logs`. Results on `out`. kUnavailable where no tuner runs and one
// is needed.
Status control(const TunerOptions& options, std::ostream& out);

}  // namespace triode::tuner
