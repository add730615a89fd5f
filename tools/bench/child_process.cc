// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/settings.h"

namespace triode::bench {
namespace {

bool is_setting(std::string_view name) {
  const auto rows = setting_rows();
  return std::any_of(rows.begin(), rows.end(),
                     [name](const SettingRow& row) { return row.variable == name; });
}

// What posix_spawn takes: pointers to texts that outlive it.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::vector<std::string> environment_with(const std::vector<run::Variable>& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_replaced =
        std::any_of(variables.begin(), variables.end(),
                    [name](const run::Variable& variable) { return variable.name == name; });
    if (!is_replaced && !is_setting(name)) environment.emplace_back(text);
  }
  for (const auto& [name, value] : variables) environment.emplace_back(name).append("=" + value);
  return environment;
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command,
                                         const std::vector<std::string>& environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return resource_exhausted(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t id = 0;
  const int error = posix_spawnp(&id, command[0].c_str(), &actions, nullptr,
                                 pointers_to(command).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) return ChildProcess(command[0], id, ends[0]);
  close(ends[0]);
  return not_found("cannot start " + command[0] + ": " + std::strerror(error));
}

ChildProcess::~ChildProcess() {
  if (output_ >= 0) close(output_);
  if (id_ == 0) return;
  kill(id_, SIGKILL);
  waitpid(id_, nullptr, 0);
}

std::string ChildProcess::read_line() {
  std::string line;
  char byte = 0;
  while (read(output_, &byte, 1) == 1 && byte != '\n') line += byte;
  return line;
}

std::string ChildProcess::read_all() {
  std::string text;
  char bytes[4096];
  ssize_t count = 0;
  while ((count = read(output_, bytes, sizeof bytes)) > 0) {
    text.append(bytes, static_cast<std::size_t>(count));
  }
  return text;
}

Status ChildProcess::wait() {
  int how = 0;
  while (waitpid(id_, &how, 0) < 0 && errno == EINTR) {
  }
  id_ = 0;
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return {};
  return unavailable(name_ + (WIFEXITED(how)
                                  ? " exited with " + std::to_string(WEXITSTATUS(how))
                                  : " was ended by signal " + std::to_string(WTERMSIG(how))));
}

Result<std::string> output_of(const std::vector<std::string>& command,
                              const std::vector<std::string>& environment) {
  ChildProcess child = TRIODE_TRY(ChildProcess::start(command, environment));
  std::string text = child.read_all();
  const Status status = child.wait();
  if (!status.ok()) return unavailable(status.message() + ": " + last_line(std::move(text)));
  return text;
}

}  // namespace triode::bench
