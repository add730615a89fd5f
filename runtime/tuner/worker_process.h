// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/outcome.h"
#include "core/status.h"
#include "runtime/host/file_descriptor.h"

namespace triode::tuner {

// A child process that runs trials. It is addressed by a descriptor, never by its number: in a
// program that waits for whatever child ends, that may be another process's by now.
class WorkerProcess {
 public:
  // How a process ended.
  struct End {
    int signal = 0;  // that ended it; 0: it ended by itself
    int code = 0;
    bool is_known = true;  // false where the program has waited for it instead
    Outcome outcome() const;
  };

  // Starts the program with the socket as its descriptor 3 and no others but /dev/null, for a
  // library that is to use so many threads.
  static Result<WorkerProcess> start(const std::string& program, std::vector<std::string> arguments,
                                     int threads, int socket);

  WorkerProcess(WorkerProcess&& other) noexcept = default;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept = default;

  pid_t id() const { return id_; }

  // How it ended, if it has by then.
  std::optional<End> await_end(std::chrono::milliseconds patience) const;

  // Ends it for good; how it did end, which is otherwise if it was ending by itself.
  End kill() const;

 private:
  WorkerProcess(pid_t id, FileDescriptor handle) : id_(id), handle_(std::move(handle)) {}

  pid_t id_;
  FileDescriptor handle_;
};

}  // namespace triode::tuner
