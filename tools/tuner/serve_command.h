// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/status.h"
#include "runtime/tuner/meeting_place.h"
#include "tools/tuner/tuner_options.h"

namespace triode::tuner {

// Is the tuner of the cache until it is stopped or nobody has wanted it for the idle time. Ends at
// once, well, if there is one already.
Status serve(const TunerOptions& options);

// Where that tuner writes what it does.
std::string log_path(const MeetingPlace& place);

// Is a trial worker, on descriptor 3. Returns the exit code.
int work();

}  // namespace triode::tuner
