// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/gpu_test_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

namespace triode::doctor_tool {
namespace {

using Json = nlohmann::json;

// What a test in its own process says, one line of JSON each: {"begin": ...} and {"end": ...} of
// steps, and {"done": true} after the last.
void say(int pipe, const Json& message) {
  const std::string line = message.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::write(pipe, line.data() + sent, line.size() - sent);
    if (count < 0 && errno != EINTR) ::_exit(1);  // nobody listens any more
    if (count > 0) sent += static_cast<size_t>(count);
  }
}

[[noreturn]] void test_and_say(SelfTestOptions options, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  options.on_begin = [pipe](size_t index, size_t count, const std::string& what) {
    say(pipe, {{"begin", what}, {"index", index}, {"count", count}});
  };
  options.on_end = [pipe](const SelfTestStep& step) {
    say(pipe, {{"end", step.name},
               {"kind", step.kind},
               {"result", static_cast<int>(step.result)},
               {"text", step.text},
               {"seconds", step.seconds}});
  };
  if (test_gpu(options)) say(pipe, {{"done", true}});
  ::_exit(0);  // what it holds may be lost, and would wait for it
}

SelfTestStep step_of(const Json& message) {
  return {message["kind"], message["end"],
          static_cast<SelfTestResult>(message["result"].get<int>()), message["text"],
          message["seconds"]};
}

// A process that tests, and what it says.
class TestProcess {
 public:
  static std::optional<TestProcess> start(const SelfTestOptions& options) {
    std::array<int, 2> ends = {-1, -1};
    if (::pipe(ends.data()) != 0) return std::nullopt;
    const pid_t process = ::fork();
    if (process == 0) {
      ::close(ends[0]);
      test_and_say(options, ends[1]);
    }
    ::close(ends[1]);
    if (process < 0) {
      ::close(ends[0]);
      return std::nullopt;
    }
    return TestProcess(process, ends[0]);
  }

  // The next message; empty if it has ended, or said nothing for so long.
  std::optional<Json> next(std::chrono::seconds patience) {
    for (;;) {
      const size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        const Json message = Json::parse(buffer_.substr(0, end), nullptr, false);
        buffer_.erase(0, end + 1);
        return message.is_discarded() ? std::nullopt : std::optional(message);
      }
      pollfd waiting = {pipe_, POLLIN, 0};
      const auto limit = std::chrono::milliseconds(patience).count();
      const int ready = ::poll(&waiting, 1, static_cast<int>(limit));
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) is_late_ = true;
      std::array<char, 4096> bytes;
      const ssize_t count = ready > 0 ? ::read(pipe_, bytes.data(), bytes.size()) : 0;
      if (count <= 0) return std::nullopt;
      buffer_.append(bytes.data(), static_cast<size_t>(count));
    }
  }

  // Ends it. How it ended by itself, or that it had to be.
  std::string end() {
    ::close(pipe_);
    if (is_late_) ::kill(process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    if (is_late_) return "it did not end, and was stopped";
    if (WIFSIGNALED(status)) {
      return std::string("its process ended by ") + ::strsignal(WTERMSIG(status));
    }
    return "its process ended with code " + std::to_string(WEXITSTATUS(status));
  }

 private:
  TestProcess(pid_t process, int pipe) : process_(process), pipe_(pipe) {}

  pid_t process_;
  int pipe_;
  std::string buffer_;
  bool is_late_ = false;
};

// One process's part of the steps.
struct Part {
  bool is_last = false;
  std::optional<std::string> under_way;  // the step that it did not survive
  std::string how;                       // it ended
};

Part listen(TestProcess& process, const GpuTestLimits& limits, const GpuTestProgress& progress,
            std::vector<SelfTestStep>& steps) {
  Part part;
  while (const auto message = process.next(limits.patience)) {
    if (message->contains("done")) {
      part.is_last = true;
    } else if (message->contains("begin")) {
      part.under_way = (*message)["begin"].get<std::string>();
      if (progress) progress((*message)["index"], (*message)["count"], *part.under_way);
    } else {
      steps.push_back(step_of(*message));
      part.under_way.reset();
    }
  }
  part.how = process.end();
  return part;
}

// `what` as it was told before it began: its kind, and its name behind a colon.
SelfTestStep failed(const std::string& what, const std::string& text) {
  const size_t end = what.find(": ");
  const std::string name = end == std::string::npos ? "" : what.substr(end + 2);
  return {what.substr(0, end), name, SelfTestResult::kFailed, text, 0};
}

}  // namespace

std::vector<SelfTestStep> test_gpu_apart(SelfTestOptions options, const GpuTestLimits& limits,
                                         const GpuTestProgress& progress) {
  std::vector<SelfTestStep> steps;
  for (int restarts = 0;; ++restarts) {
    options.first = steps.size();
    std::optional<TestProcess> process = TestProcess::start(options);
    if (!process) {
      steps.push_back(failed("process", std::string("no process for it: ") + std::strerror(errno)));
      return steps;
    }
    const Part part = listen(*process, limits, progress, steps);
    if (part.is_last) return steps;
    if (part.under_way) {
      steps.push_back(failed(*part.under_way, part.how));
    } else if (steps.size() == options.first) {
      steps.push_back(failed("process", "nothing could be tried: " + part.how));
      return steps;
    }
    if (restarts == limits.restarts) {
      steps.push_back(failed("process", "the GPU failed too often; what follows was not tried"));
      return steps;
    }
  }
}

}  // namespace triode::doctor_tool
