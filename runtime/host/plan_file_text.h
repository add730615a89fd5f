// SPDX-License-Identifier: Apache-2.0
// Internal to plan_file: the text of a plan file, apart from where it is kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/status.h"
#include "runtime/host/plan_file.h"

namespace triode {

// Some 250,000 plans. What claims to be larger is not ours, and must not fill the host's memory.
constexpr size_t kMaxPlanFileBytes = size_t{64} << 20;

// What tells two plans of a section apart: a line of text that names problem and vendor.
std::string identity_of(const StoredPlan& plan);

// kInvalidArgument for what parse_plan_file() would not give back; kResourceExhausted beyond
// kMaxPlanFileBytes.
Result<std::string> format_plan_file(const PlanFile& file);

// The inverse. `path` is for messages. kCorrupt, or kUnsupported for a newer format.
Result<PlanFile> parse_plan_file(std::string_view bytes, std::string_view path);

}  // namespace triode
