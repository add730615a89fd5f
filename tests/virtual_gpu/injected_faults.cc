// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/injected_faults.h"

#include <charconv>
#include <optional>

namespace triode::vgpu {
namespace {

std::optional<uint32_t> read_number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view without_version(std::string_view entry) {
  const size_t mark = entry.rfind("_v");
  if (mark == std::string_view::npos || !read_number(entry.substr(mark + 2))) return entry;
  return entry.substr(0, mark);
}

Status InjectedFaults::parse_rule(std::string_view part, InjectedFaults& faults) {
  const size_t equals = part.find('=');
  const auto bad = [&] {
    return invalid_argument("TRIODE_VGPU_FAULTS: \"" + std::string(part) +
                            "\" is not of the form cuLaunchKernel=719, cuLaunchKernel=719@3 or "
                            "cuLaunchKernel=hang");
  };
  if (equals == std::string_view::npos || !part.starts_with("cu")) return bad();
  std::string_view answer = part.substr(equals + 1);
  Rule rule;
  if (const size_t at = answer.find('@'); at != std::string_view::npos) {
    const auto first = read_number(answer.substr(at + 1));
    if (!first || *first == 0) return bad();
    rule.first = *first;
    answer = answer.substr(0, at);
  }
  const auto number = answer == "hang" ? std::optional<uint32_t>(kHang) : read_number(answer);
  if (!number || *number == 0) return bad();
  rule.answer = *number;
  faults.rules_[std::string(without_version(part.substr(0, equals)))] = rule;
  return {};
}

Result<InjectedFaults> InjectedFaults::parse(std::string_view text) {
  InjectedFaults faults;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    TRIODE_TRY(parse_rule(text.substr(0, comma), faults));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return faults;
}

uint32_t InjectedFaults::next(std::string_view entry) {
  const auto found = rules_.find(without_version(entry));
  if (found == rules_.end()) return 0;
  Rule& rule = found->second;
  return ++rule.calls >= rule.first ? rule.answer : 0;
}

}  // namespace triode::vgpu
