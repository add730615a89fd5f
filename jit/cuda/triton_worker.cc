// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "jit/cuda/triton_answer.h"

namespace triode::cuda {
namespace {

namespace fs = std::filesystem;

// Far above any answer: a length beyond it is not one of ours.
constexpr uint32_t kMostFrameBytes = 256u << 20;

// The environment of this process with Triton's cache moved to `scratch`.
std::vector<std::string> worker_environment(const fs::path& scratch) {
  std::vector<std::string> variables = {"TRITON_CACHE_DIR=" + scratch.string(),
                                        "PYTHONDONTWRITEBYTECODE=1"};
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    // What would put Triode, or another's library, into the worker stays out.
    if (variable.starts_with("TRITON_CACHE_DIR=") || variable.starts_with("LD_PRELOAD=")) continue;
    variables.emplace_back(variable);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// 0, or the error. Frames come and go by the socket; what Triton prints is not shown.
int spawn(const TritonTools& tools, const fs::path& scratch, int socket, pid_t* process) {
  std::vector<std::string> arguments = {tools.python.string(), tools.worker.string()};
  std::vector<std::string> variables = worker_environment(scratch);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, socket, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // A group of its own, so that the assembler it starts ends with it.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawn(process, arguments[0].c_str(), &files, &attributes,
                                pointers_to(arguments).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

Result<std::unique_ptr<TritonWorker>> TritonWorker::start(const TritonTools& tools) {
  std::error_code failure;
  std::string pattern = (fs::temp_directory_path(failure) / "triode-triton-XXXXXX").string();
  if (failure || mkdtemp(pattern.data()) == nullptr) {
    return unavailable("no folder could be made for Triton at \"" + pattern +
                       "\"; set TMPDIR to one that can be written");
  }
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fs::remove_all(pattern, failure);
    return unavailable(std::string("no socket for the Triton worker: ") + std::strerror(errno));
  }
  pid_t process = -1;
  const int error = spawn(tools, pattern, ends[1], &process);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    fs::remove_all(pattern, failure);
    return unavailable("the Triton worker \"" + tools.python.string() +
                       "\" did not start: " + std::strerror(error));
  }
  return std::unique_ptr<TritonWorker>(new TritonWorker(process, ends[0], pattern));
}

TritonWorker::TritonWorker(pid_t process, int socket, fs::path scratch)
    : process_(process), socket_(socket), scratch_(std::move(scratch)) {}

TritonWorker::~TritonWorker() {
  close(socket_);
  kill(-process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::error_code ignored;  // a folder that stays behind harms nobody
  fs::remove_all(scratch_, ignored);
}

Status TritonWorker::wait_until(short events, Deadline deadline) const {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return unavailable("the Triton worker did not answer in time");
    pollfd waiting = {socket_, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left.count(), 60000)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return unavailable("the Triton worker cannot be waited for");
  }
}

Status TritonWorker::send_all(const std::string& bytes, Deadline deadline) const {
  size_t sent = 0;
  while (sent < bytes.size()) {
    TRIODE_TRY(wait_until(POLLOUT, deadline));
    const ssize_t count =
        send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += static_cast<size_t>(count);
    } else if (errno != EINTR && errno != EAGAIN) {
      return unavailable("the Triton worker has ended");
    }
  }
  return {};
}

Result<std::string> TritonWorker::receive(size_t size, Deadline deadline) const {
  std::string bytes(size, '\0');
  size_t received = 0;
  while (received < size) {
    TRIODE_TRY(wait_until(POLLIN, deadline));
    const ssize_t count = recv(socket_, bytes.data() + received, size - received, MSG_DONTWAIT);
    if (count > 0) {
      received += static_cast<size_t>(count);
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      return unavailable("the Triton worker ended before it had answered");
    }
  }
  return bytes;
}

Result<std::string> TritonWorker::receive_frame(Deadline deadline) const {
  const std::string header = TRIODE_TRY(receive(sizeof(uint32_t), deadline));
  uint32_t size = 0;
  std::memcpy(&size, header.data(), sizeof size);
  if (size > kMostFrameBytes) {
    return unavailable("the Triton worker sent what is not a frame");
  }
  return receive(size, deadline);
}

Result<std::vector<std::string>> TritonWorker::ask(const std::string& request,
                                                   std::chrono::milliseconds limit) {
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  const auto size = static_cast<uint32_t>(request.size());
  std::string frame(reinterpret_cast<const char*>(&size), sizeof size);
  TRIODE_TRY(send_all(frame + request, deadline));
  std::vector<std::string> answer = {TRIODE_TRY(receive_frame(deadline))};
  for (size_t more = TRIODE_TRY(frames_after(answer[0])); more > 0; --more) {
    answer.push_back(TRIODE_TRY(receive_frame(deadline)));
  }
  return answer;
}

}  // namespace triode::cuda
