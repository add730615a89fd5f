// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/control_commands.h"

#include <chrono>
#include <deque>
#include <fstream>
#include <ostream>
#include <string>
#include <utility>

#include "runtime/host/file_lock.h"
#include "runtime/tuner/event_log.h"
#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/messages.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/tuner_question.h"
#include "runtime/tuner/tuner_reach.h"
#include "tools/tuner/status_text.h"

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience(5000);

void print(const StatusAnswer& status, const TunerOptions& options, std::ostream& out) {
  if (options.json) {
    out << to_json(status, folder_bytes(status.cache));
  } else if (!options.quiet) {
    out << to_text(status, folder_bytes(status.cache));
  }
}

Status start(const MeetingPlace& place, const TunerOptions& options, std::ostream& out) {
  const std::string program = TRIODE_TRY(find_tuner_program());
  FileDescriptor socket = TRIODE_TRY(reach_tuner(place, program, kPatience, {}));
  print(TRIODE_TRY(ask_tuner(std::move(socket), false)), options, out);
  return {};
}

// Returns when the tuner has closed the cache and let go of its lock.
Status stop(const MeetingPlace& place, const TunerOptions& options, std::ostream& out) {
  auto connected = connect_to_tuner(place);
  if (!connected.ok()) {
    if (options.json) out << "{\"was_running\": false}\n";
    if (!options.json && !options.quiet) out << "no tuner runs\n";
    return {};
  }
  const StatusAnswer last = TRIODE_TRY(ask_tuner(std::move(connected).take(), true));
  const FileLock ended = TRIODE_TRY(FileLock::acquire(place.lock, kPatience));
  if (options.json) out << "{\"was_running\": true, \"pid\": " << last.process << "}\n";
  if (!options.json && !options.quiet) out << "tuner " << last.process << " ends\n";
  return {};
}

Status show_log(const MeetingPlace& place, const TunerOptions& options, std::ostream& out) {
  const std::string path = event_log_path(place.cache);
  std::ifstream file(path);
  if (!file) return not_found("no tuner has written a log yet at " + path);
  std::deque<std::string> last;
  for (std::string line; std::getline(file, line);) {
    last.push_back(std::move(line));
    if (last.size() > static_cast<size_t>(options.lines)) last.pop_front();
  }
  for (const std::string& line : last) out << line << '\n';
  return {};
}

}  // namespace

Status control(const TunerOptions& options, std::ostream& out) {
  const MeetingPlace place = TRIODE_TRY(find_meeting_place(options.cache));
  switch (options.command) {
    case Command::kStart:
      return start(place, options, out);
    case Command::kStop:
      return stop(place, options, out);
    case Command::kLogs:
      return show_log(place, options, out);
    default:
      break;
  }
  auto connected = connect_to_tuner(place);
  if (!connected.ok()) {
    return unavailable("no tuner runs for the cache " + place.cache +
                       "; a program under 'triode run' starts one, as does 'triode tuner start'");
  }
  print(TRIODE_TRY(ask_tuner(std::move(connected).take(), false)), options, out);
  return {};
}

}  // namespace triode::tuner
