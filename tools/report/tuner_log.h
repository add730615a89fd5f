// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triode::report_tool {

// A line of the tuner's log (runtime/tuner/event_log.h).
struct TunerEvent {
  int64_t when_unix_s = 0;
  std::string event;  // "plan", "withdrawn", "vendor-stays", ...
  std::map<std::string, std::string> fields;

  bool operator==(const TunerEvent&) const = default;
};

// Whether it says who answers a problem from then on: a plan published, withdrawn, or none found.
// What else is told of a problem, such as a search that began or a config that crashed, leaves that
// as it was.
bool is_decision(const TunerEvent& event);

// Empty for a line that no tuner writes, as one that was cut.
std::optional<TunerEvent> parse_tuner_event(std::string_view line);

// The log of the tuner of a cache folder, its older part first; what is not there adds nothing.
std::vector<TunerEvent> read_tuner_log(const std::string& folder);

}  // namespace triode::report_tool
