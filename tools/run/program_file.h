// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode::run {

// Path of the file that execvp() would run for `name`, with a slash in it. `search_path` is the
// value of PATH; the C library's own if it is not set.
// kNotFound if there is none, kUnsupported if there is one that cannot be executed.
Result<std::string> find_program_file(const std::string& name,
                                      const std::optional<std::string>& search_path);

// Whose rights a process has.
struct Identity {
  uid_t user = 0;
  gid_t group = 0;
};

// Why the dynamic linker will not load a library of LD_PRELOAD into the program of this file, as in
// "is statically linked"; empty if it will, or if the file does not say (a script, an unreadable
// file). `identity` is that of the process which runs it.
std::optional<std::string_view> obstacle_to_preload(const std::string& file, Identity identity);

}  // namespace triode::run
