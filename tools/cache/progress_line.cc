// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/progress_line.h"

#include <ostream>
#include <utility>

#include "tools/cache/figures.h"

namespace triode::cache_tool {
namespace {

// Often enough to look alive, seldom enough to cost nothing.
constexpr auto kInterval = std::chrono::milliseconds(200);
constexpr int64_t kLookEvery = 256;  // records between looks at the clock

}  // namespace

ProgressLine::ProgressLine(const Context& context, std::string what)
    : context_(context),
      what_(std::move(what)),
      is_shown_(context.error_terminal.is_terminal && !context.quiet && !context.json),
      next_(std::chrono::steady_clock::now() + kInterval) {}

ProgressLine::~ProgressLine() {
  if (has_line_) context_.err << "\r\x1b[K" << std::flush;
}

void ProgressLine::show(int64_t done, int64_t about) {
  if (!is_shown_ || done < next_look_) return;
  next_look_ = done + kLookEvery;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  write(what_ + ": " + count_text(done) + (about > 0 ? " of about " + count_text(about) : "") +
        " records");
}

void ProgressLine::begin(const std::string& what) {
  what_ = what;
  next_look_ = 0;
  if (is_shown_) write(what_);
}

void ProgressLine::write(const std::string& line) {
  has_line_ = true;
  context_.err << "\r\x1b[K" << line << std::flush;
}

}  // namespace triode::cache_tool
