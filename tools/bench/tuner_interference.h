// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/tuner_calls_command.h"
#include "tools/bench/tuner_options.h"
#include "tools/bench/tuner_results.h"
#include "tools/bench/tuner_session.h"

namespace triode::bench {

// What a program notices of the tuner at work. The program calls shapes that have plans; the tuner
// has others to search for, of the same program, and is held by SIGSTOP and let go in turns, so
// that each window with it lies between two without. `calls` is a foreground; it fails if the tuner
// has nothing to do before there was a window with it.
Result<std::vector<WindowFigures>> measure_interference(const TunerSession& session,
                                                        const TunerCalls& calls,
                                                        const TunerBenchOptions& options);

}  // namespace triode::bench
