// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace triode::doctor_tool {

enum class Health : uint8_t {
  kGood,
  kRemark,  // works, but not as well as it could, or is not there and need not be
  kBad,     // something that users count on does not work
};
std::string_view to_string(Health health);  // "good", "remark", "bad"

// One line of the doctor's answer.
struct Finding {
  std::string subject;  // "cpu", "cache"
  Health health = Health::kGood;
  std::string text;  // what is there
  std::string fix;   // what to do; empty if there is nothing to be done

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

// Whether nothing is bad.
bool is_well(const Findings& findings);

}  // namespace triode::doctor_tool
