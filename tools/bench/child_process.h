// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "core/status.h"
#include "tools/run/program_variables.h"

namespace triode::bench {

// The environment of this process without Triode's settings and with these variables instead, as
// "NAME=value".
std::vector<std::string> environment_with(const std::vector<run::Variable>& variables);

// A program that was started: what it writes, errors too, comes through a pipe; it reads nothing.
// Killed at the end if nobody waited for it. One thread at a time.
class ChildProcess {
 public:
  // The program is the first word, looked for in PATH. kNotFound if it is not there.
  static Result<ChildProcess> start(const std::vector<std::string>& command,
                                    const std::vector<std::string>& environment);

  ChildProcess(ChildProcess&& other) noexcept
      : name_(std::move(other.name_)),
        id_(std::exchange(other.id_, 0)),
        output_(std::exchange(other.output_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t id() const { return id_; }

  // The next line it writes, without its end; what is left if it has ended.
  std::string read_line();
  // All it writes until it ends.
  std::string read_all();

  // kUnavailable unless it exits with 0.
  Status wait();

 private:
  ChildProcess(std::string name, pid_t id, int output)
      : name_(std::move(name)), id_(id), output_(output) {}

  std::string name_;
  pid_t id_;    // 0: waited for
  int output_;  // -1: moved from
};

// Runs it to the end and gives what it wrote; if it failed, the error ends in its last line.
Result<std::string> output_of(const std::vector<std::string>& command,
                              const std::vector<std::string>& environment);

}  // namespace triode::bench
