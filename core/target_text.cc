// SPDX-License-Identifier: Apache-2.0
#include "core/target_text.h"

#include <array>
#include <charconv>
#include <string>
#include <system_error>
#include <vector>

namespace triode {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> fields(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') {
      fields.emplace_back();
      continue;
    }
    const bool is_escaped = text[i] == '\\' && i + 1 < text.size();
    if (is_escaped) ++i;
    const char c = text[i];
    fields.back() += !is_escaped ? c : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
  return fields;
}

}  // namespace

Result<Target> parse_fingerprint(std::string_view text) {
  constexpr size_t kTexts = 4;
  const std::vector<std::string> fields = split(text);
  std::array<int64_t, 4> numbers{};
  bool is_whole = fields.size() == kTexts + numbers.size();
  for (size_t i = 0; is_whole && i < numbers.size(); ++i) {
    const std::string& field = fields[kTexts + i];
    is_whole =
        std::from_chars(field.data(), field.data() + field.size(), numbers[i]).ec == std::errc();
  }
  Target target;
  if (is_whole) {
    target = {.device = fields[0],
              .isa = fields[1],
              .toolchain = fields[2],
              .driver = fields[3],
              .cores = static_cast<int32_t>(numbers[0]),
              .l1_bytes = numbers[1],
              .l2_bytes = numbers[2],
              .l3_bytes = numbers[3]};
  }
  // It gives its own text again, or it was none.
  if (!is_whole || target.fingerprint() != text) {
    return invalid_argument("'" + std::string(text) + "' does not describe a target");
  }
  return target;
}

}  // namespace triode
