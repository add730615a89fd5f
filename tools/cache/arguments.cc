// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/arguments.h"

#include <algorithm>
#include <charconv>

#include "tools/cli/nearest_word.h"

namespace triode::cache_tool {
namespace {

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status unknown_option(const std::string& name, std::span<const std::string_view> options,
                      std::span<const std::string_view> flags) {
  std::vector<std::string> known(options.begin(), options.end());
  known.insert(known.end(), flags.begin(), flags.end());
  const std::optional<std::string> nearest = cli::nearest_word(name, known);
  return invalid_argument("unknown option " + name +
                          (nearest.has_value() ? "; did you mean " + *nearest + "?" : ""));
}

}  // namespace

Result<Arguments> Arguments::parse(std::span<const std::string> words,
                                   std::span<const std::string_view> options,
                                   std::span<const std::string_view> flags) {
  Arguments arguments;
  bool has_ended = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (has_ended || word.size() < 2 || word[0] != '-') {
      arguments.positionals_.push_back(word);
      continue;
    }
    if (word == "--") {
      has_ended = true;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::string value;
    if (is_in(flags, name) && equals == std::string::npos) {
      value = "1";
    } else if (!is_in(options, name)) {
      return unknown_option(name, options, flags);
    } else if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      return invalid_argument(name + " needs a value");
    }
    if (!arguments.values_.emplace(name, value).second) {
      return invalid_argument(name + " is given twice");
    }
  }
  return arguments;
}

bool Arguments::has(std::string_view name) const {
  return values_.find(name) != values_.end();
}

std::optional<std::string> Arguments::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::string Arguments::value_or(std::string_view name, std::string_view otherwise) const {
  return value(name).value_or(std::string(otherwise));
}

Result<int64_t> Arguments::number_or(std::string_view name, int64_t otherwise, int64_t least,
                                     int64_t most) const {
  const std::optional<std::string> text = value(name);
  if (!text.has_value()) return otherwise;
  int64_t number = 0;
  const char* end = text->data() + text->size();
  const auto answer = std::from_chars(text->data(), end, number);
  if (text->empty() || answer.ec != std::errc() || answer.ptr != end || number < least ||
      number > most) {
    return invalid_argument(std::string(name) + ": '" + *text + "' is no whole number from " +
                            std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

}  // namespace triode::cache_tool
