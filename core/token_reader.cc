// SPDX-License-Identifier: Apache-2.0
#include "core/token_reader.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/error_text.h"

namespace triode {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

}  // namespace

std::vector<Token> split(const Token& token, char separator) {
  std::vector<Token> parts;
  size_t begin = 0;
  for (;;) {
    const size_t end = std::min(token.text.find(separator, begin), token.text.size());
    parts.push_back({token.text.substr(begin, end - begin), token.column + begin});
    if (end == token.text.size()) return parts;
    begin = end + 1;
  }
}

Assignment split_assignment(const Token& token) {
  const size_t equals = token.text.find('=');
  if (equals == std::string_view::npos) return {token, std::nullopt};
  return {{token.text.substr(0, equals), token.column},
          Token{token.text.substr(equals + 1), token.column + equals + 1}};
}

std::optional<Token> TokenReader::next() {
  const size_t begin = text_.find_first_not_of(kWhiteSpace, position_);
  if (begin == std::string_view::npos) return std::nullopt;
  position_ = std::min(text_.find_first_of(kWhiteSpace, begin), text_.size());
  return Token{text_.substr(begin, position_ - begin), begin + 1};
}

Status TokenReader::error_at(size_t column, std::string_view message) const {
  std::string out(noun_);
  out += ", column " + std::to_string(column) + ": ";
  out += message;
  return invalid_argument(std::move(out));
}

Status TokenReader::error_at(const Token& token, std::string_view message) const {
  return error_at(token.column, in_quotes(token.text) + ' ' + std::string(message));
}

Status TokenReader::error_at_end(std::string_view message) const {
  const size_t last = text_.find_last_not_of(kWhiteSpace);
  const size_t column = last == std::string_view::npos ? 1 : last + 2;
  return error_at(column, "the text ends " + std::string(message));
}

Result<int64_t> TokenReader::whole_number(const Token& token, int64_t most) const {
  const char* const end = token.text.data() + token.text.size();
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(token.text.data(), end, value);
  const bool is_whole = !token.text.empty() && token.text.front() != '-' && stop == end;
  if (!is_whole || error == std::errc::invalid_argument) {
    return error_at(token, "is not a whole number; expected 0 to " + std::to_string(most));
  }
  if (error == std::errc::result_out_of_range || value > most) {
    return error_at(token, "is too large; expected 0 to " + std::to_string(most));
  }
  return value;
}

}  // namespace triode
