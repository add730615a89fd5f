// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tools/cache/context.h"

namespace triode::cache_tool {

// "verifying: 120,000 of about 1,000,000 records" on stderr, if that is a terminal and the user has
// not asked for quiet; overwritten in place some times a second, and wiped at the end.
class ProgressLine {
 public:
  ProgressLine(const Context& context, std::string what);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  // `about` 0: the end is not known. Cheap enough for every record, and `done` may leap.
  void show(int64_t done, int64_t about = 0);
  // What is done from now on, shown at once; records are counted anew.
  void begin(const std::string& what);

 private:
  void write(const std::string& line);

  const Context& context_;
  std::string what_;
  const bool is_shown_;
  bool has_line_ = false;
  int64_t next_look_ = 0;  // at the clock, when so many are done
  std::chrono::steady_clock::time_point next_;
};

}  // namespace triode::cache_tool
