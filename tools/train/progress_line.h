// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace triode::train_tool {

// One line on a terminal that tells how far long work is and when it will be done; into a file, a
// line now and then. Not thread-safe.
class ProgressLine {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  using Write = std::function<void(const std::string&)>;

  // `is_terminal`: rewrite the line in place instead of adding lines.
  ProgressLine(bool is_terminal, Now now, Write write);

  // `done` is the share of the work that is behind, rising from 0 to 1.
  void show(double done, const std::string& what);
  // Ends the line, if one is open.
  void finish();

 private:
  const bool is_terminal_;
  const Now now_;
  const Write write_;
  const std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_;
  bool is_open_ = false;
};

// On stderr; says nothing if `quiet`.
ProgressLine progress_on_stderr(bool quiet);

// "1:05" or "1:02:03".
std::string clock_text(std::chrono::seconds duration);

}  // namespace triode::train_tool
