// SPDX-License-Identifier: Apache-2.0
#include "tools/train/progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace triode::train_tool {
namespace {

constexpr std::chrono::milliseconds kTerminalPause{200};
constexpr std::chrono::seconds kFilePause{15};

}  // namespace

std::string clock_text(std::chrono::seconds duration) {
  const auto total = duration.count();
  char text[32];
  if (total >= 3600) {
    std::snprintf(text, sizeof text, "%d:%02d:%02d", static_cast<int>(total / 3600),
                  static_cast<int>(total / 60 % 60), static_cast<int>(total % 60));
  } else {
    std::snprintf(text, sizeof text, "%d:%02d", static_cast<int>(total / 60),
                  static_cast<int>(total % 60));
  }
  return text;
}

ProgressLine::ProgressLine(bool is_terminal, Now now, Write write)
    : is_terminal_(is_terminal),
      now_(std::move(now)),
      write_(std::move(write)),
      start_(now_()),
      shown_(start_) {}

void ProgressLine::show(double done, const std::string& what) {
  const auto now = now_();
  const auto pause = is_terminal_ ? std::chrono::steady_clock::duration(kTerminalPause)
                                  : std::chrono::steady_clock::duration(kFilePause);
  if (now - shown_ < pause || !(done > 0)) return;
  shown_ = now;
  const std::chrono::duration<double> spent = now - start_;
  const auto left = std::chrono::seconds(static_cast<int64_t>(spent.count() * (1 - done) / done));
  char share[16];
  std::snprintf(share, sizeof share, "%3.0f%% ", done * 100);
  const std::string text = share + what + ", " + clock_text(left) + " left";
  write_(is_terminal_ ? "\r\x1b[K" + text : text + "\n");
  is_open_ = is_terminal_;
}

void ProgressLine::finish() {
  if (is_open_) write_("\r\x1b[K");
  is_open_ = false;
}

ProgressLine progress_on_stderr(bool quiet) {
  return {isatty(STDERR_FILENO) != 0, [] { return std::chrono::steady_clock::now(); },
          [quiet](const std::string& text) {
            if (!quiet) std::fputs(text.c_str(), stderr);
          }};
}

}  // namespace triode::train_tool
