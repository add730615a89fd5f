// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode {

// Files that are read and replaced as a whole. Any thread may call.

// "cannot <attempt> <path>: <what the system says>", and what to do about it where that is known.
// kNotFound, kResourceExhausted (memory, disk, descriptors), kUnsupported, or kUnavailable for the
// rest.
Status file_error(std::string_view attempt, const std::string& path, int error_number);

// The bytes of a file. kUnsupported for more than `most_bytes` and for what is not a regular file;
// else a file_error().
//
// Copied, not mapped: whoever shortens a mapped file takes the process that looks at it down with
// SIGBUS, and this one is somebody else's program.
Result<std::string> read_whole_file(const std::string& path, size_t most_bytes);

// Puts a file with these bytes in the place of what is at `path`: at every moment, power loss
// included, the old or the new one is there. By `<path>.tmp`, so only one caller at a time may
// replace a path.
Status replace_file(const std::string& path, std::string_view bytes);

}  // namespace triode
