// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/measurement_store.h"
#include "core/status.h"
#include "learner/train/timed_problem.h"

namespace triode::collect {

// The trials that Triode made of its CPU kernels, as text: a line "triode trials 1"; of each device
// a line "device", a tab and its text; of each problem a line "problem", its text and the vendor's
// time in ns (0: not timed); of each config its ns, or its outcome, and its text. The ns are the
// vendor's over the config's speedup in the rounds they shared, so that times taken on different
// days compare; without the vendor, and on several threads, the median. Unstable trials and those
// that were disturbed are left out, and problems of which they were more than half. In the store's
// order: equal stores give equal texts.
Result<std::string> collected_text(const MeasurementStore& store);

// Reads such a text. A parameter that a config does not name has its first value; a config that
// today's space does not have is passed over; one that occurs twice counts the first time.
// kInvalidArgument names the line.
Result<std::vector<train::TimedProblem>> parse_collected(std::string_view text);

// Writes what a cache holds, compressed (gzip).
Status export_collected(const std::string& cache, const std::string& path);

// Problems of files and of caches, in order. A file is such a text, plain or gzip, one for
// train::read_timed_problems, or a folder of such files (data_files.h).
Result<std::vector<train::TimedProblem>> read_timings(std::span<const std::string> files,
                                                      std::string_view device,
                                                      std::span<const std::string> caches);

// Leaves the problems of one device and operation; an empty word leaves all. A device is meant by
// its name or a part of it, in any case ("NVIDIA H100", "h100"). kNotFound, with what there is, if
// none is left.
Status keep_only(std::string_view hardware, std::string_view op,
                 std::vector<train::TimedProblem>& problems);

}  // namespace triode::collect
