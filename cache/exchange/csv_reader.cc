// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/csv_reader.h"

#include <algorithm>
#include <charconv>

#include "cache/exchange/node_reader.h"
#include "cache/exchange/utf8.h"

namespace triode::exchange {

Result<bool> CsvReader::next() {
  const std::string_view text = file_.bytes();
  do {
    if (position_ >= text.size()) return false;
    ++line_number_;
    const size_t end = text.find('\n', position_);
    if (end == std::string_view::npos) {
      return error("the file ends in the middle of a line; is it cut short?");
    }
    line_ = text.substr(position_, end - position_);
    position_ = end + 1;
    whole_line_ = line_;
    if (ends_ == LineEnds::kAnyKind && line_.ends_with('\r')) line_.remove_suffix(1);
  } while (line_.empty());
  TRIODE_TRY(check_line());
  return true;
}

Status CsvReader::check_line() const {
  const auto has = [&](auto predicate) {
    return std::any_of(line_.begin(), line_.end(), predicate);
  };
  if (has([](char c) { return c == '\r'; })) {
    return error("a carriage return; save the file with Unix line ends");
  }
  if (has([](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"'; })) {
    return error("a quote or a control character, which this format does not have");
  }
  if (!is_utf8(line_)) return error("not UTF-8");
  return {};
}

std::vector<std::string_view> CsvReader::fields(size_t most) const {
  std::vector<std::string_view> fields;
  size_t start = 0;
  for (;;) {
    const size_t comma = line_.find(',', start);
    if (comma == std::string_view::npos || fields.size() + 1 == most) {
      fields.push_back(line_.substr(start));
      return fields;
    }
    fields.push_back(line_.substr(start, comma - start));
    start = comma + 1;
  }
}

Result<int64_t> csv_whole(const CsvReader& reader, std::string_view text, std::string_view field,
                          int64_t least, int64_t most) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto answer = std::from_chars(text.data(), end, value);
  if (text.empty() || answer.ec != std::errc() || answer.ptr != end || value < least ||
      value > most) {
    return reader.error(std::string(field) + " is \"" + std::string(text.substr(0, 40)) +
                        "\"; expected a whole number from " + std::to_string(least) + " to " +
                        std::to_string(most));
  }
  return value;
}

Result<double> csv_positive(const CsvReader& reader, std::string_view text,
                            std::string_view field) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto answer = std::from_chars(text.data(), end, value);
  if (text.empty() || answer.ec != std::errc() || answer.ptr != end ||
      !(value > 0 && value < kMostFigure)) {
    return reader.error(std::string(field) + " is \"" + std::string(text.substr(0, 40)) +
                        "\"; expected a number above zero and below 1e15");
  }
  return value;
}

}  // namespace triode::exchange
