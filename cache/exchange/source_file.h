// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode::exchange {

// A file of another tool, whole in memory, and the words for what is wrong in it.
// A plain value; any thread may read it.
class SourceFile {
 public:
  SourceFile(std::string name, std::string bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  // Reads a file of at most kMostBytes. What starts like gzip is inflated, again to at most
  // kMostBytes; its name then lacks the ".gz". kNotFound, kUnavailable (the system refuses),
  // kInvalidArgument (too large, or damaged gzip).
  static Result<SourceFile> read(const std::string& path);

  // The same for the first kBeginningBytes, whatever comes behind them.
  static Result<SourceFile> read_beginning(const std::string& path);
  static constexpr size_t kBeginningBytes = size_t{64} << 10;

  // The largest tables in the field are tens of megabytes. What parsing takes is limited by the
  // number of values: kMostValues of cache/exchange/json_reader.h.
  static constexpr size_t kMostBytes = size_t{256} << 20;

  const std::string& name() const { return name_; }  // as given, folders included
  std::string base_name() const;                     // without folders
  std::string_view bytes() const { return bytes_; }

  // kInvalidArgument "NAME, line 3, column 7: MESSAGE"; for a file that is no text "NAME, byte 40:
  // MESSAGE". An offset beyond the end means the end.
  Status error_at(size_t offset, std::string_view message) const;
  // The same for text known by its line alone.
  Status error_in_line(int64_t line, std::string_view message) const;
  // "NAME: MESSAGE"
  Status error(std::string_view message) const;

 private:
  std::string name_;
  std::string bytes_;
};

}  // namespace triode::exchange
