// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/status.h"
#include "tools/tuner/tuner_options.h"

namespace triode::tuner {

// Is the tuner of the cache until it is stopped or nobody has wanted it for the idle time. Ends at
// once, well, if there is one already.
Status serve(const TunerOptions& options);

// Is a trial worker, on descriptor 3. Returns the exit code.
int work();

}  // namespace triode::tuner
