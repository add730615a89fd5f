// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner_question.h"

#include <string>
#include <utility>

#include "runtime/tuner/connection.h"
#include "runtime/tuner/meeting_place.h"

namespace triode::tuner {
Result<StatusAnswer> ask_tuner(FileDescriptor socket, bool stops,
                               std::chrono::milliseconds patience) {
  const std::string process = std::to_string(process_behind(socket.number()));
  Connection connection(std::move(socket), kMostAnswerBytes);
  TRIODE_TRY(connection.send(to_frame(Control{stops})));
  const Result<Frame> frame = connection.receive_within(patience);
  if (!frame.ok()) {
    return Status(frame.status().code(),
                  "the tuner, process " + process + ": " + frame.status().message() +
                      "; if it stays so, end it with 'kill -9 " + process +
                      "': nothing that was timed is lost, and the next program starts another");
  }
  if (const auto refusal = from_frame<Refusal>(*frame); refusal.ok()) {
    return unavailable("the tuner refuses: " + refusal->reason);
  }
  return from_frame<StatusAnswer>(*frame);
}

}  // namespace triode::tuner
