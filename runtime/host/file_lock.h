// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "core/status.h"
#include "runtime/host/file_descriptor.h"

namespace triode {

// Held by one thread of one process at a time, for as long as this object lives; the system takes
// it from a process that dies. The file stays, empty: removing it would let two hold a lock each.
class FileLock {
 public:
  // Whoever works under such a lock is done in milliseconds, tens on a busy disk. Waiting longer
  // would hold up the end of a program; giving up sooner would lose plans to a slow disk.
  static constexpr std::chrono::milliseconds kUsualPatience{1000};

  // Creates the file if need be. kUnavailable if another has held the lock for all of `patience`;
  // else a file_error().
  static Result<FileLock> acquire(const std::string& path,
                                  std::chrono::milliseconds patience = kUsualPatience);

  FileLock(FileLock&&) noexcept = default;
  FileLock& operator=(FileLock&&) noexcept = default;
  ~FileLock();

 private:
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
};

}  // namespace triode
