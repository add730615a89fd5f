// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"

namespace triode::host {

// Starts a program that the process it is started from cannot see: not as a child (no SIGCHLD, and
// nothing for wait() to return), not by its descriptors (it has /dev/null for the standard three
// and no others), not by the terminal (a session of its own). Signals are as a new program expects
// them; it may use all cores that the system allows, and memory, time, file size and descriptors up
// to the hard limits. Returns when the program runs; kNotFound or kUnavailable, with the reason, if
// it does not. `arguments` begin with the program's name for itself. Any thread; some hundred
// microseconds.
Status spawn_detached(const std::string& program, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment);

// This process's environment as far as a program of ours needs it: search path, home, language,
// time zone, temporary and user folders, and Triode's own settings. Nothing that changes how
// programs are loaded.
std::vector<std::string> scrubbed_environment();

}  // namespace triode::host
