// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <termios.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "core/status.h"

namespace triode::top_tool {

// The terminal as a screen of its own, with keys that come one by one. What was there before, and
// how the terminal behaved, is back when this is destroyed, also after a signal that ends the
// program, and while the program is stopped by Ctrl-Z. One at a time.
class LiveScreen {
 public:
  // kUnsupported if input or output is no terminal.
  static Result<LiveScreen> open();
  LiveScreen(LiveScreen&& other) noexcept;
  LiveScreen& operator=(LiveScreen&&) = delete;
  ~LiveScreen();

  struct Size {
    size_t width = 80;
    size_t height = 24;
  };
  Size size() const;

  // Shows this text, whose lines fit, in place of what is shown.
  void show(const std::string& text) const;

  // What ended a wait.
  struct Event {
    std::optional<char> key;
    bool is_resized = false;
    bool is_ended = false;  // a signal asks the program to end, or the terminal is gone
  };
  // Waits for a key, a new size or the end, at most so long. A program that is stopped meanwhile
  // goes on with an event like that of a new size: all is to be shown again.
  Event wait(std::chrono::milliseconds patience);

 private:
  LiveScreen(const termios& before, int signals);
  void enter();
  void leave();
  void stop_and_return();
  Event event_of_signal();

  termios before_;
  int signals_;  // descriptor from which signals are read; -1: moved from
  bool is_entered_ = false;
};

}  // namespace triode::top_tool
