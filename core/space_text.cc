// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>

#include "core/error_text.h"
#include "core/space.h"
#include "core/token_reader.h"

namespace triode {
namespace {

// What stands in text for the value at `position` of the list.
std::string word_at(const Parameter& parameter, size_t position) {
  return parameter.labels.empty() ? std::to_string(parameter.values[position])
                                  : parameter.labels[position];
}

std::string word_for(const Parameter& parameter, int32_t value) {
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), value);
  if (found == parameter.values.end()) return std::to_string(value);
  return word_at(parameter, static_cast<size_t>(found - parameter.values.begin()));
}

std::optional<int32_t> value_of(const Parameter& parameter, std::string_view word) {
  for (size_t i = 0; i < parameter.values.size(); ++i) {
    if (word_at(parameter, i) == word) return parameter.values[i];
  }
  return std::nullopt;
}

std::string accepted_values(const Parameter& parameter) {
  std::vector<std::string> words;
  for (size_t i = 0; i < parameter.values.size(); ++i) words.push_back(word_at(parameter, i));
  const std::vector<std::string_view> views(words.begin(), words.end());
  return one_of(views);
}

std::string accepted_names(std::span<const Parameter> parameters) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names.empty() ? "nothing" : one_of(names);
}

// Reads the tokens of one config of a space.
class ConfigParser {
 public:
  ConfigParser(const Space& space, std::string_view text)
      : space_(space), reader_("config text", text), config_(space.parameters().size()) {}

  Result<Config> parse();

 private:
  Status read_assignment(const Token& token);
  Status check_complete() const;

  const Space& space_;
  TokenReader reader_;
  Config config_;
  std::array<bool, Config::kMaxParameters> is_set_{};
};

Result<Config> ConfigParser::parse() {
  while (const std::optional<Token> token = reader_.next()) TRIODE_TRY(read_assignment(*token));
  TRIODE_TRY(check_complete());
  if (const std::optional<std::string> reason = space_.why_illegal(config_)) {
    return invalid_argument("config text: illegal config: " + *reason);
  }
  return config_;
}

Status ConfigParser::read_assignment(const Token& token) {
  const auto [name, value] = split_assignment(token);
  const std::optional<size_t> position = space_.position_of(name.text);
  if (!position) {
    return reader_.error_at(name,
                            "is not a parameter; expected " + accepted_names(space_.parameters()));
  }
  const Parameter& parameter = space_.parameters()[*position];
  if (!value) {
    return reader_.error_at(
        token, "has no value; expected " + parameter.name + "= and " + accepted_values(parameter));
  }
  if (is_set_[*position]) {
    return reader_.error_at(token,
                            "sets " + parameter.name + " again; expected each parameter once");
  }
  const std::optional<int32_t> accepted = value_of(parameter, value->text);
  if (!accepted) {
    return reader_.error_at(
        *value, "is not a value of " + parameter.name + "; expected " + accepted_values(parameter));
  }
  config_[*position] = *accepted;
  is_set_[*position] = true;
  return {};
}

Status ConfigParser::check_complete() const {
  for (size_t i = 0; i < config_.size(); ++i) {
    if (is_set_[i]) continue;
    const Parameter& parameter = space_.parameters()[i];
    return reader_.error_at_end("without " + parameter.name + "; expected " + parameter.name +
                                "= and " + accepted_values(parameter));
  }
  return {};
}

}  // namespace

std::string Space::to_string(const Config& config) const {
  assert(config.size() == parameters_.size());
  std::string out;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (i > 0) out += ' ';
    out += parameters_[i].name + '=' + word_for(parameters_[i], config[i]);
  }
  return out;
}

Result<Config> Space::parse(std::string_view text) const {
  return ConfigParser(*this, text).parse();
}

}  // namespace triode
