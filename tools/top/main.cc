// SPDX-License-Identifier: Apache-2.0
// The program behind `triode top`.

#include <unistd.h>

#include <array>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/tuner_question.h"
#include "tools/cache/arguments.h"
#include "tools/cache/cache_folder.h"
#include "tools/cache/terminal.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help_and_version.h"
#include "tools/top/live_screen.h"
#include "tools/top/top_view.h"
#include "tools/tuner/status_text.h"
#include "top_help.h"

namespace triode::top_tool {
namespace {

using cache_tool::Arguments;

constexpr std::string_view kCommand = "top";

constexpr std::array<std::string_view, 2> kOptions = {"--cache", "--interval"};
constexpr std::array<std::string_view, 3> kFlags = {"--json", "--once", "--quiet"};

// Empty: no tuner runs.
Result<std::optional<tuner::StatusAnswer>> ask(const tuner::MeetingPlace& place) {
  auto socket = tuner::connect_to_tuner(place);
  if (!socket.ok()) return std::optional<tuner::StatusAnswer>();
  return std::optional(TRIODE_TRY(tuner::ask_tuner(std::move(socket).take(), false)));
}

Result<std::string> view(const tuner::MeetingPlace& place, const ViewOptions& options) {
  const std::optional<tuner::StatusAnswer> status = TRIODE_TRY(ask(place));
  return status ? top_view(*status, tuner::folder_bytes(status->cache), options)
                : view_without_tuner(place.cache, options);
}

Status print_once(const tuner::MeetingPlace& place, bool is_json) {
  if (is_json) {
    const std::optional<tuner::StatusAnswer> status = TRIODE_TRY(ask(place));
    std::cout << (status ? tuner::to_json(*status, tuner::folder_bytes(status->cache))
                         : "{\"is_running\": false}\n");
    return {};
  }
  const cache_tool::Terminal terminal = cache_tool::Terminal::of(STDOUT_FILENO);
  std::cout << TRIODE_TRY(
      view(place, {.width = terminal.width, .has_colour = terminal.has_colour}));
  return {};
}

Status watch(const tuner::MeetingPlace& place, std::chrono::seconds interval) {
  LiveScreen screen = TRIODE_TRY(LiveScreen::open());
  ViewOptions options{.has_colour = cache_tool::Terminal::of(STDOUT_FILENO).has_colour};
  while (true) {
    const LiveScreen::Size size = screen.size();
    options.width = size.width;
    options.height = size.height;
    const Result<std::string> text = view(place, options);
    // A tuner that ends while it is asked is gone the next time.
    screen.show(text.ok() ? *text : text.status().message());
    const LiveScreen::Event event = screen.wait(interval);
    if (event.is_ended || event.key == 'q' || event.key == 'Q') return {};
    if (event.key) options.sort = sort_of(*event.key).value_or(options.sort);
  }
}

int run_top(const Arguments& arguments) {
  const Result<int64_t> interval = arguments.number_or("--interval", 1, 1, 3600);
  if (!interval.ok()) return cli::complain(kCommand, interval.status(), cli::kWrongUsage);
  if (!arguments.positionals().empty()) {
    return cli::complain(kCommand, invalid_argument("top takes no words; see its options"),
                         cli::kWrongUsage);
  }
  const Result<std::string> folder = cache_tool::cache_folder(arguments);
  if (!folder.ok()) return cli::complain(kCommand, folder.status(), cli::kFailed);
  const Result<tuner::MeetingPlace> place = tuner::find_meeting_place(*folder);
  if (!place.ok()) return cli::complain(kCommand, place.status(), cli::kFailed);
  const bool is_json = arguments.has("--json");
  const Status status = is_json || arguments.has("--once")
                            ? print_once(*place, is_json)
                            : watch(*place, std::chrono::seconds(*interval));
  return status.ok() ? cli::kDone : cli::complain(kCommand, status, cli::kFailed);
}

int run(const std::vector<std::string>& words) {
  if (const auto code =
          cli::answer_help_or_version(words, "triode-top", help::kTopHelp, std::cout)) {
    return *code;
  }
  const Result<Arguments> arguments = Arguments::parse(words, kOptions, kFlags);
  return arguments.ok() ? run_top(*arguments)
                        : cli::complain(kCommand, arguments.status(), cli::kWrongUsage);
}

}  // namespace
}  // namespace triode::top_tool

int main(int argc, char** argv) {
  const int code = triode::top_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
