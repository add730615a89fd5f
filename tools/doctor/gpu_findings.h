// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "runtime/device/gpu_self_test.h"
#include "tools/doctor/finding.h"

namespace triode::doctor_tool {

// A line for each kind of what was tried, in their order: bad if one of its steps failed, with the
// first that did; a remark if none could be tried.
Findings gpu_findings(const std::vector<SelfTestStep>& steps);

}  // namespace triode::doctor_tool
