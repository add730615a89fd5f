// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/status.h"
#include "runtime/host/file_descriptor.h"
#include "runtime/tuner/status_messages.h"

namespace triode::tuner {

// What a tuner says of itself over a connected socket (connect_to_tuner); it then ends if `stops`.
// kUnavailable if it refuses or does not answer within seconds; kUnsupported for a tuner of another
// version.
Result<StatusAnswer> ask_tuner(FileDescriptor socket, bool stops);

}  // namespace triode::tuner
