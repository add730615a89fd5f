// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/status.h"
#include "runtime/host/file_descriptor.h"
#include "runtime/tuner/meeting_place.h"

namespace triode::tuner {

// A connection to the tuner of this place, which is started if none answers: `program` with the
// arguments `serve --cache <folder>`, detached (see host::spawn_detached). Of many that start one
// at once, one tuner stays. kNotFound if the program is not there; kUnavailable if no tuner answers
// within `patience`, or `should_stop`, asked every few milliseconds, says so.
Result<FileDescriptor> reach_tuner(const MeetingPlace& place, const std::string& program,
                                   std::chrono::milliseconds patience,
                                   const std::function<bool()>& should_stop);

// The program `triode-tuner` that belongs to this build or installation: beside this library or
// program, or in the folder bin beside its own. kNotFound names what was tried.
Result<std::string> find_tuner_program();

}  // namespace triode::tuner
