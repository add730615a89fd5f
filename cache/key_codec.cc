// SPDX-License-Identifier: Apache-2.0
#include "cache/key_codec.h"

#include <array>
#include <charconv>
#include <utility>

#include "core/key.h"

namespace triode {
namespace {

constexpr char kEnd = '\n';
constexpr int kSampleComponents = 5;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void append_escaped(std::string_view text, std::string& out) {
  // As good as always. Two passes: find_first_of calls a function for each letter.
  if (text.find('\\') == std::string_view::npos && text.find(kEnd) == std::string_view::npos) {
    out += text;
    return;
  }
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == kEnd) {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

void assign_unescaped(std::string_view text, std::string& out) {
  if (text.find('\\') == std::string_view::npos) {  // as good as always
    out = text;
    return;
  }
  out.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    ++i;
    out += text[i] == 'n' ? kEnd : text[i];
  }
}

// The same for a field of a validity, among which '|' stands.
void append_field(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (c == '|' || c == '\\') out += '\\';
    out += c;
  }
}

std::string hex(uint64_t value, int digits) {
  std::string text(static_cast<size_t>(digits), '0');
  for (size_t i = text.size(); i > 0 && value != 0; value >>= 4) {
    text[--i] = "0123456789abcdef"[value & 0xF];
  }
  return text;
}

// Where the sizes of a problem's text begin and end: its third word, if that begins with a digit or
// a letter before one. Equal if it has none.
std::pair<size_t, size_t> sizes_of(std::string_view problem) {
  size_t begin = problem.find(' ');
  if (begin != std::string_view::npos) begin = problem.find(' ', begin + 1);
  if (begin == std::string_view::npos) return {0, 0};
  const size_t end = problem.find(' ', begin + 1);
  return {begin + 1, end == std::string_view::npos ? problem.size() : end};
}

}  // namespace

std::string join_components(std::initializer_list<std::string_view> components) {
  std::string out;
  size_t size = 0;
  for (const std::string_view component : components) size += component.size() + 1;
  out.reserve(size + 24);
  for (const std::string_view component : components) append_component(component, out);
  return out;
}

void append_component(std::string_view component, std::string& key) {
  append_escaped(component, key);
  key += kEnd;
}

std::vector<std::string> split_components(std::string_view key) {
  std::vector<std::string> components;
  while (true) {
    const size_t end = key.find(kEnd);
    assign_unescaped(key.substr(0, end), components.emplace_back());
    if (end == std::string_view::npos) return components;
    key.remove_prefix(end + 1);
  }
}

size_t end_of_components(std::string_view key, int count) {
  size_t end = 0;
  for (; count > 0; --count) {
    const size_t found = key.find(kEnd, end);
    if (found == std::string_view::npos) return found;
    end = found + 1;
  }
  return end;
}

std::string after_prefix(std::string prefix) {
  prefix.back() = kEnd + 1;
  return prefix;
}

std::string sortable_problem(std::string_view problem) {
  const auto [begin, end] = sizes_of(problem);
  std::string out(problem.substr(0, begin));
  for (size_t i = begin; i < end;) {
    size_t digits = 0;
    while (i + digits < end && is_digit(problem[i + digits])) ++digits;
    // 20 digits hold every size there is; a longer run is none.
    if (digits > 0 && digits <= 20) out += static_cast<char>('a' + digits - 1);
    const size_t step = digits == 0 ? 1 : digits;
    out += problem.substr(i, step);
    i += step;
  }
  out += problem.substr(end);
  return out;
}

std::string plain_problem(std::string_view sortable) {
  const auto [begin, end] = sizes_of(sortable);
  std::string out(sortable.substr(0, begin));
  for (size_t i = begin; i < end; ++i) {
    const char c = sortable[i];
    const bool leads_a_number = c >= 'a' && c < 'a' + 20 && i + 1 < end &&
                                is_digit(sortable[i + 1]) &&
                                (i == begin || !is_digit(sortable[i - 1]));
    if (!leads_a_number) out += c;
  }
  out += sortable.substr(end);
  return out;
}

std::string validity_text(const Validity& validity) {
  std::string out;
  append_field(validity.toolchain, out);
  for (const std::string* field : {&validity.driver, &validity.generator, &validity.source}) {
    out += '|';
    append_field(*field, out);
  }
  return out;
}

Result<Validity> parse_validity(std::string_view text) {
  Validity validity;
  const std::array<std::string*, 4> fields = {&validity.toolchain, &validity.driver,
                                              &validity.generator, &validity.source};
  size_t field = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') {
      if (++field == fields.size()) break;
      continue;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    *fields[field] += text[i];
  }
  if (field != fields.size() - 1) return corrupt("the key names no toolchain, driver and source");
  return validity;
}

std::string sample_prefix(const SampleKey& key) {
  return join_components(
      {key.device, sortable_problem(key.problem), key.config, validity_text(key.validity)});
}

std::string device_prefix(std::string_view device) {
  return join_components({device});
}

std::string problem_prefix(std::string_view device, std::string_view problem) {
  return join_components({device, sortable_problem(problem)});
}

std::string trial_id(uint64_t sequence) {
  return hex(sequence, 10);
}

std::string imported_trial_id(std::string_view encoded_record) {
  return 'i' + hex(hash_bytes(encoded_record), 16);
}

std::optional<uint64_t> trial_number(std::string_view id) {
  uint64_t number = 0;
  const char* end = id.data() + id.size();
  if (id.empty() || std::from_chars(id.data(), end, number, 16).ptr != end) return std::nullopt;
  return number;
}

Status decode_sample_key(std::string_view bytes, SampleKey& key) {
  std::array<std::string_view, kSampleComponents> parts;
  for (int i = 0; i < kSampleComponents; ++i) {
    const size_t end = bytes.find(kEnd);
    const bool is_last = i + 1 == kSampleComponents;
    if (is_last != (end == std::string_view::npos)) {
      return corrupt("the key has not five components");
    }
    parts[static_cast<size_t>(i)] = bytes.substr(0, end);
    bytes.remove_prefix(is_last ? bytes.size() : end + 1);
  }
  assign_unescaped(parts[0], key.device);
  std::string sortable;
  assign_unescaped(parts[1], sortable);
  key.problem = plain_problem(sortable);
  assign_unescaped(parts[2], key.config);
  std::string validity;
  assign_unescaped(parts[3], validity);
  key.validity = TRIODE_TRY(parse_validity(validity));
  return {};
}

}  // namespace triode
