// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/foreign_config.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "cache/exchange/json_reader.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/source_file.h"

namespace triode::exchange {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

// A text that reads as itself without quotes: no number, no word of JSON's.
bool is_plain(std::string_view text) {
  if (text.empty() || text == "true" || text == "false" || text == "null") return false;
  if (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '_') return false;
  return std::all_of(text.begin(), text.end(), is_word_character);
}

struct ValueText {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return python_number(value); }
  std::string operator()(const std::string& value) const {
    return is_plain(value) ? value : json_text(value);
  }
};

Status wrong_token(std::string_view token) {
  return invalid_argument("config text: \"" + std::string(token.substr(0, 80)) +
                          "\" is no parameter; expected name=value");
}

Result<ParameterValue> parse_value(std::string_view text) {
  if (text == "null") return ParameterValue(std::monostate{});
  if (text == "true") return ParameterValue(true);
  if (text == "false") return ParameterValue(false);
  if (is_plain(text)) return ParameterValue(std::string(text));
  const SourceFile file("config text", std::string(text));
  const Node node = TRIODE_TRY(read_json(file));
  if (node.is(Node::Kind::kInteger)) return ParameterValue(node.integer);
  if (node.is(Node::Kind::kReal)) return ParameterValue(node.real);
  if (node.is(Node::Kind::kText)) return ParameterValue(node.text);
  return wrong_token(text);
}

// The end of the token that starts at `start`: the next space outside quotes.
size_t end_of_token(std::string_view text, size_t start) {
  bool is_quoted = false;
  for (size_t i = start; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (text[i] == ' ' && !is_quoted) {
      return i;
    }
  }
  return text.size();
}

}  // namespace

void ForeignConfig::set(std::string_view name, ParameterValue value) {
  const auto place =
      std::lower_bound(parameters.begin(), parameters.end(), name,
                       [](const Parameter& p, std::string_view wanted) { return p.name < wanted; });
  if (place != parameters.end() && place->name == name) {
    place->value = std::move(value);
  } else {
    parameters.insert(place, {std::string(name), std::move(value)});
  }
}

const ParameterValue* ForeignConfig::find(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  return found == parameters.end() ? nullptr : &found->value;
}

int64_t ForeignConfig::number_or(std::string_view name, int64_t otherwise) const {
  const ParameterValue* value = find(name);
  const auto* number = value == nullptr ? nullptr : std::get_if<int64_t>(value);
  return number == nullptr ? otherwise : *number;
}

std::string to_string(const ForeignConfig& config) {
  std::string text = config.family;
  for (const ForeignConfig::Parameter& parameter : config.parameters) {
    if (!text.empty()) text += ' ';
    text += parameter.name + "=" + std::visit(ValueText{}, parameter.value);
  }
  return text;
}

Result<ForeignConfig> parse_foreign_config(std::string_view text) {
  ForeignConfig config;
  for (size_t start = 0; start < text.size();) {
    const size_t end = end_of_token(text, start);
    const std::string_view token = text.substr(start, end - start);
    const size_t equals = token.find('=');
    if (equals == std::string_view::npos && start == 0 && is_plain(token)) {
      config.family = token;
    } else {
      const std::string_view name = token.substr(0, std::min(equals, token.size()));
      if (equals == std::string_view::npos || !is_parameter_name(name) ||
          config.find(name) != nullptr) {
        return wrong_token(token);
      }
      config.set(name, TRIODE_TRY(parse_value(token.substr(equals + 1))));
    }
    start = end + 1;
  }
  return config;
}

bool is_parameter_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostNameBytes &&
         std::all_of(name.begin(), name.end(), is_word_character);
}

}  // namespace triode::exchange
