// SPDX-License-Identifier: Apache-2.0
#include "tools/report/tuner_log.h"

#include <ctime>
#include <fstream>
#include <utility>

#include "runtime/tuner/event_log.h"

namespace triode::report_tool {
namespace {

// Takes the word at the front, without the space behind it.
std::string_view take_word(std::string_view& text) {
  const size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

// Takes a value: a plain word, or one in quotes with `\` before what would end it.
std::optional<std::string> take_value(std::string_view& text) {
  if (!text.starts_with('"')) return std::string(take_word(text));
  std::string value;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      if (text.starts_with(' ')) text.remove_prefix(1);
      return value;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    value += text[i];
  }
  return std::nullopt;
}

std::optional<int64_t> parse_time(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return static_cast<int64_t>(::timegm(&parts));
}

void read_file(const std::string& path, std::vector<TunerEvent>& events) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (std::optional<TunerEvent> event = parse_tuner_event(line)) {
      events.push_back(*std::move(event));
    }
  }
}

}  // namespace

bool is_decision(const TunerEvent& event) {
  return event.event == "plan" || event.event == "withdrawn" || event.event == "vendor-stays";
}

std::optional<TunerEvent> parse_tuner_event(std::string_view line) {
  TunerEvent event;
  const std::optional<int64_t> when = parse_time(std::string(take_word(line)));
  event.event = take_word(line);
  if (!when || event.event.empty()) return std::nullopt;
  event.when_unix_s = *when;
  while (!line.empty()) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    std::string name(line.substr(0, equals));
    line.remove_prefix(equals + 1);
    std::optional<std::string> value = take_value(line);
    if (!value) return std::nullopt;
    event.fields[std::move(name)] = *std::move(value);
  }
  return event;
}

std::vector<TunerEvent> read_tuner_log(const std::string& folder) {
  const std::string path = tuner::event_log_path(folder);
  std::vector<TunerEvent> events;
  read_file(tuner::older_log_path(path), events);
  read_file(path, events);
  return events;
}

}  // namespace triode::report_tool
