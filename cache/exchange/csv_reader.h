// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// How lines may end.
enum class LineEnds : uint8_t {
  kUnix,     // PyTorch takes a carriage return for a part of the last field
  kAnyKind,  // also as Windows ends them
};

// Goes over the lines of a text that has comma-separated fields and no quotes: what the tools here
// write. Refuses quotes, control characters, invalid UTF-8, and a last line without its end.
class CsvReader {
 public:
  // The file must outlive the reader.
  explicit CsvReader(const SourceFile& file, LineEnds ends = LineEnds::kUnix)
      : file_(file), ends_(ends) {}

  // Moves to the next line that is not empty. False at the end.
  Result<bool> next();

  std::string_view line() const { return line_; }  // without its end
  // The same with the carriage return it may have.
  std::string_view line_with_return() const { return whole_line_; }
  int64_t line_number() const { return line_number_; }
  // The fields of the line, cut at each comma; at most `most`, the last of which has the rest.
  std::vector<std::string_view> fields(size_t most = SIZE_MAX) const;

  Status error(std::string_view message) const {
    return file_.error_in_line(line_number_, message);
  }

 private:
  Status check_line() const;

  const SourceFile& file_;
  const LineEnds ends_;
  size_t position_ = 0;
  std::string_view line_;
  std::string_view whole_line_;
  int64_t line_number_ = 0;
};

// A whole decimal number in [least, most], or an error that names the field.
Result<int64_t> csv_whole(const CsvReader& reader, std::string_view text, std::string_view field,
                          int64_t least, int64_t most);
// A number above zero and below kMostFigure.
Result<double> csv_positive(const CsvReader& reader, std::string_view text, std::string_view field);

}  // namespace triode::exchange
