// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_session.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <utility>

#include "core/clock.h"
#include "tools/run/preload.h"

namespace triode::bench {
namespace {

using std::chrono::milliseconds;

// How often a tuner is asked: each time is a process of some milliseconds.
constexpr milliseconds kBetweenLooks(250);
// Without work for so long it has none: a program reports what is worth it several times a second.
constexpr int kIdleLooks = 8;

volatile sig_atomic_t g_interrupted = 0;

Result<std::string> program_beside(const std::string& name) {
  const std::string path = TRIODE_TRY(run::own_folder()) + "/" + name;
  if (access(path.c_str(), X_OK) == 0) return path;
  return not_found(path + " is not there; build it, or run triode-bench where it is installed");
}

// The last line of many is what a program says in the end.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

Result<TunerCounts> read_tuner_counts(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    TunerCounts counts;
    counts.process = json.at("pid");
    counts.worker = json.at("worker_pid");
    counts.is_busy = json.at("waiting") != 0 || json.at("current") != "";
    counts.plans = json.at("plans");
    counts.effort.searches = json.at("searches");
    counts.effort.trials = json.at("trials");
    counts.effort.plans_found = json.at("plans_found");
    counts.effort.vendor_stays = json.at("vendor_stays");
    counts.effort.withdrawals = json.at("withdrawals");
    return counts;
  } catch (const nlohmann::json::exception& error) {
    return corrupt(std::string("the tuner's status cannot be read: ") + error.what());
  }
}

Result<TunerSession> TunerSession::open(const std::string& cache,
                                        const std::vector<run::Variable>& variables) {
  TunerSession session;
  session.run_ = TRIODE_TRY(program_beside("triode-run"));
  session.tuner_ = TRIODE_TRY(program_beside("triode-tuner"));
  session.environment_ = environment_with(variables);
  session.cache_ = cache;
  return session;
}

Result<ChildProcess> TunerSession::start(const std::string& mode,
                                         const std::vector<std::string>& command,
                                         const std::vector<std::string>& options) const {
  std::vector<std::string> words = {run_, "--mode", mode, "--tuner", "process", "--cache", cache_};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return ChildProcess::start(words, environment_);
}

Result<ChildProcess> TunerSession::start_plainly(const std::vector<std::string>& command) const {
  return ChildProcess::start(command, environment_);
}

std::optional<TunerCounts> TunerSession::counts() const {
  const auto text = output_of({tuner_, "status", "--json", "--cache", cache_}, environment_);
  if (!text.ok()) return std::nullopt;
  const auto counts = read_tuner_counts(*text);
  return counts.ok() ? std::optional(*counts) : std::nullopt;
}

bool TunerSession::wait_until_idle(const ChildProcess& program, std::chrono::seconds limit) const {
  const auto end = steady_clock().now() + limit;
  for (int idle = 0; idle < kIdleLooks;) {
    if (steady_clock().now() > end || has_ended(program.id()) || was_interrupted()) return false;
    std::this_thread::sleep_for(kBetweenLooks);
    const std::optional<TunerCounts> now = counts();
    idle = now && !now->is_busy ? idle + 1 : 0;
  }
  return true;
}

void TunerSession::stop() {
  if (cache_.empty()) return;
  // If there is none to stop, all is well.
  (void)output_of({tuner_, "stop", "--quiet", "--cache", cache_}, environment_);
}

bool has_ended(pid_t process) {
  siginfo_t how{};
  const int found = waitid(P_PID, static_cast<id_t>(process), &how, WEXITED | WNOHANG | WNOWAIT);
  return found != 0 || how.si_pid != 0;
}

void catch_interruptions() {
  struct sigaction action {};
  action.sa_handler = [](int) { g_interrupted = 1; };  // without SA_RESTART: reading ends
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() {
  return g_interrupted != 0;
}

Status finish(ChildProcess& program) {
  kill(program.id(), SIGTERM);
  return await_end(program);
}

Status await_end(ChildProcess& program) {
  const std::string said = program.read_all();
  if (was_interrupted()) return unavailable("interrupted");
  const Status ended = program.wait();
  return ended.ok() ? Status() : unavailable(ended.message() + ": " + last_line(said));
}

double cpu_seconds(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // The name may hold anything; what follows its bracket is numbers, user and system the 12th and
  // 13th of them.
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string skipped;
  for (int i = 0; i < 11; ++i) rest >> skipped;
  double user = 0, system = 0;
  if (!(rest >> user >> system)) return 0;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace triode::bench
