// SPDX-License-Identifier: Apache-2.0
#include "tools/top/live_screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

namespace triode::top_tool {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";  // another screen, no cursor
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written <= 0) return;  // the terminal is gone; wait() says so
    text.remove_prefix(static_cast<size_t>(written));
  }
}

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH})
    sigaddset(&signals, signal);
  return signals;
}

}  // namespace

Result<LiveScreen> LiveScreen::open() {
  termios before{};
  if (::isatty(STDOUT_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &before) != 0) {
    return unsupported("this is no terminal; --once prints one view, --json the figures");
  }
  // Read like a file rather than caught: the screen is put back on the way out of main, always.
  const sigset_t signals = watched_signals();
  if (::sigprocmask(SIG_BLOCK, &signals, nullptr) != 0) {
    return unavailable("signals cannot be blocked");
  }
  const int descriptor = ::signalfd(-1, &signals, SFD_CLOEXEC);
  if (descriptor < 0) return unavailable("signals cannot be read");
  LiveScreen screen(before, descriptor);
  screen.enter();
  return screen;
}

LiveScreen::LiveScreen(const termios& before, int signals) : before_(before), signals_(signals) {}

LiveScreen::LiveScreen(LiveScreen&& other) noexcept
    : before_(other.before_),
      signals_(std::exchange(other.signals_, -1)),
      is_entered_(std::exchange(other.is_entered_, false)) {}

LiveScreen::~LiveScreen() {
  if (signals_ < 0) return;
  leave();
  ::close(signals_);
}

void LiveScreen::enter() {
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  // Entered twice, a terminal forgets where its cursor was.
  if (!std::exchange(is_entered_, true)) write_all(kEnter);
}

void LiveScreen::leave() {
  if (std::exchange(is_entered_, false)) write_all(kLeave);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

// Returns when the program goes on; at once where no shell could make it go on, since the system
// then lets SIGTSTP stop nobody, which SIGSTOP would.
void LiveScreen::stop_and_return() {
  leave();
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  ::raise(SIGTSTP);
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);  // stops here
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  enter();
}

LiveScreen::Size LiveScreen::size() const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return {size.ws_col, size.ws_row};
}

void LiveScreen::show(const std::string& text) const {
  std::string screen(kHome);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    screen += text.substr(at, end - at);
    screen += kClearLine;
    if (end == std::string::npos) break;
    at = end + 1;
    if (at < text.size()) screen += "\r\n";
  }
  write_all(screen += kClearBelow);
}

LiveScreen::Event LiveScreen::event_of_signal() {
  Event event;
  signalfd_siginfo signal{};
  if (::read(signals_, &signal, sizeof signal) != sizeof signal) return event;
  switch (signal.ssi_signo) {
    case SIGTSTP:
      stop_and_return();
      event.is_resized = true;
      break;
    case SIGCONT:  // also after SIGSTOP, of which nobody is told
      enter();
      event.is_resized = true;
      break;
    case SIGWINCH:
      event.is_resized = true;
      break;
    default:
      event.is_ended = true;
  }
  return event;
}

LiveScreen::Event LiveScreen::wait(std::chrono::milliseconds patience) {
  std::array<pollfd, 2> sources = {{{STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}}};
  Event event;
  if (::poll(sources.data(), sources.size(), static_cast<int>(patience.count())) <= 0) return event;
  if ((sources[1].revents & POLLIN) != 0) event = event_of_signal();
  if (sources[0].revents != 0) {
    char key = 0;
    if (::read(STDIN_FILENO, &key, 1) == 1) {
      event.key = key;
    } else {
      event.is_ended = true;  // nothing to read although there was: it was hung up
    }
  }
  return event;
}

}  // namespace triode::top_tool
