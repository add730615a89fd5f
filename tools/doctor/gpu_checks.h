// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/status.h"
#include "tools/cache/arguments.h"
#include "tools/doctor/finding.h"

namespace triode::doctor_tool {

// The options of `triode doctor --gpu` that other examinations do not take.
inline constexpr std::string_view kGpuOptions[] = {"--types", "--configs", "--size", "--patience"};

// What became of the self-test of a GPU.
struct GpuExamination {
  Findings findings;   // a line for each kind of what was tried
  std::string report;  // a JSON array: each step, with what was seen and how long it took
};

// Runs it, for minutes; says on stderr what it does if `is_quiet` is false. kInvalidArgument for
// options that make no sense.
Result<GpuExamination> examine_gpu(const cache_tool::Arguments& arguments, bool is_quiet);

}  // namespace triode::doctor_tool
