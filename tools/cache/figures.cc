// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/figures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace triode::cache_tool {
namespace {

template <typename Value>
std::string formatted(const char* format, Value value, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value, unit);
  return text.data();
}

struct Unit {
  char letter;
  int64_t size;
};

template <size_t kCount>
Result<int64_t> parse_with_unit(const std::string& text, const std::array<Unit, kCount>& units,
                                const std::string& expected) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto answer = std::from_chars(text.data(), end, number);
  const std::string_view rest(answer.ptr, static_cast<size_t>(end - answer.ptr));
  if (answer.ec == std::errc() && number >= 0 && number < int64_t{1} << 40) {
    for (const Unit& unit : units) {
      const bool is_it = rest.empty() ? unit.letter == '\0' : rest == std::string(1, unit.letter);
      if (is_it) return number * unit.size;
    }
  }
  return invalid_argument("'" + text + "' is none of: " + expected);
}

}  // namespace

std::string time_text(double nanoseconds) {
  if (nanoseconds <= 0) return "-";
  if (nanoseconds < 1e3) return formatted("%.0f %s", nanoseconds, "ns");
  if (nanoseconds < 1e6) return formatted("%.2f %s", nanoseconds / 1e3, "us");
  if (nanoseconds < 1e9) return formatted("%.3f %s", nanoseconds / 1e6, "ms");
  return formatted("%.3f %s", nanoseconds / 1e9, "s");
}

std::string percent_text(double share) {
  return formatted("%.1f%s", share * 100, "%");
}

std::string ratio_text(double ratio) {
  return formatted("%.2f%s", ratio, "x");
}

std::string bytes_text(int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 1024) return formatted("%.0f %s", value, "B");
  if (bytes < 1 << 20) return formatted("%.1f %s", value / 1024, "KiB");
  if (bytes < 1 << 30) return formatted("%.1f %s", value / (1 << 20), "MiB");
  return formatted("%.2f %s", value / (1 << 30), "GiB");
}

std::string count_text(int64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    const bool is_inside = !text.empty() && text != "-";
    if (is_inside && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string age_text(int64_t when_unix_s, int64_t now_unix_s) {
  if (when_unix_s == 0) return "-";
  const int64_t age = std::max<int64_t>(now_unix_s - when_unix_s, 0);
  if (age < 60) return std::to_string(age) + " s";
  if (age < 3600) return std::to_string(age / 60) + " min";
  if (age < 86400) return std::to_string(age / 3600) + " h";
  return std::to_string(age / 86400) + " d";
}

Result<int64_t> parse_duration(const std::string& text) {
  return parse_with_unit(
      text, std::array<Unit, 5>{{{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}}},
      "a duration like 45s, 30m, 12h, 90d or 2w");
}

Result<int64_t> parse_bytes(const std::string& text) {
  return parse_with_unit(
      text, std::array<Unit, 4>{{{'\0', 1}, {'k', 1 << 10}, {'M', 1 << 20}, {'G', 1 << 30}}},
      "a size like 512, 64k, 10M or 2G");
}

}  // namespace triode::cache_tool
