// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner_question.h"

#include <chrono>
#include <utility>

#include "runtime/tuner/connection.h"

namespace triode::tuner {
namespace {

// A tuner answers between two trials, of which each takes milliseconds.
constexpr std::chrono::milliseconds kPatience(5000);

}  // namespace

Result<StatusAnswer> ask_tuner(FileDescriptor socket, bool stops) {
  Connection connection(std::move(socket), kMostAnswerBytes);
  TRIODE_TRY(connection.send(to_frame(Control{stops})));
  const Frame frame = TRIODE_TRY(connection.receive_within(kPatience));
  if (const auto refusal = from_frame<Refusal>(frame); refusal.ok()) {
    return unavailable("the tuner refuses: " + refusal->reason);
  }
  return from_frame<StatusAnswer>(frame);
}

}  // namespace triode::tuner
