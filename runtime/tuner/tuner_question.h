// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/status.h"
#include "runtime/host/file_descriptor.h"
#include "runtime/tuner/status_messages.h"

namespace triode::tuner {

// A tuner answers between two trials, of which each takes milliseconds.
inline constexpr std::chrono::milliseconds kAnswerPatience(5000);

// What a tuner says of itself over a connected socket (connect_to_tuner); it then ends if `stops`.
// kUnavailable, with its process, if it refuses or does not answer in time; kUnsupported for a
// tuner of another version.
Result<StatusAnswer> ask_tuner(FileDescriptor socket, bool stops,
                               std::chrono::milliseconds patience = kAnswerPatience);

}  // namespace triode::tuner
