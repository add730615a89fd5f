// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/finding.h"

#include <algorithm>

namespace triode::doctor_tool {

std::string_view to_string(Health health) {
  switch (health) {
    case Health::kGood:
      return "good";
    case Health::kRemark:
      return "remark";
    case Health::kBad:
      return "bad";
  }
  return "bad";
}

bool is_well(const Findings& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.health == Health::kBad; });
}

}  // namespace triode::doctor_tool
