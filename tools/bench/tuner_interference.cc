// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_interference.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "tools/bench/tuner_caller.h"
#include "tools/bench/tuner_statistics.h"

namespace triode::bench {
namespace {

using std::chrono::milliseconds;

// After the tuner was held or let go, until what it did to caches and clocks is over.
constexpr milliseconds kBetweenWindows(20);

// Tuner and worker, held for as long as this lives.
class HeldTuner {
 public:
  explicit HeldTuner(const TunerCounts& tuner) : tuner_(tuner) { send(SIGSTOP); }
  HeldTuner(const HeldTuner&) = delete;
  HeldTuner& operator=(const HeldTuner&) = delete;
  ~HeldTuner() { send(SIGCONT); }

 private:
  void send(int signal) const {
    kill(tuner_.process, signal);
    if (tuner_.worker != 0) kill(tuner_.worker, signal);
  }
  const TunerCounts tuner_;
};

double cpu_of(const TunerCounts& tuner) {
  return cpu_seconds(tuner.process) + (tuner.worker == 0 ? 0 : cpu_seconds(tuner.worker));
}

Window watch(const TunerCounts& tuner, bool is_tuning, double seconds) {
  std::this_thread::sleep_for(kBetweenWindows);
  Window window;
  window.is_tuning = is_tuning;
  const double before = cpu_of(tuner);
  window.begin_ns = steady_ns();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  window.end_ns = steady_ns();
  window.tuner_cpu_s = std::max(0.0, cpu_of(tuner) - before);
  return window;
}

// Windows in turns, the first and the last with the tuner held; fewer if it runs out of work.
std::vector<Window> watch_in_turns(const TunerSession& session, const TunerBenchOptions& options) {
  std::vector<Window> windows;
  for (int turn = 0; turn < options.windows && !was_interrupted(); turn += 2) {
    std::optional<TunerCounts> tuner = session.counts();
    if (!tuner || (!tuner->is_busy && turn > 0)) break;
    {
      const HeldTuner held(*tuner);
      windows.push_back(watch(*tuner, false, options.window_s));
    }
    tuner = session.counts();  // the worker may be another
    if (!tuner || !tuner->is_busy) break;
    windows.push_back(watch(*tuner, true, options.window_s));
  }
  return windows;
}

Result<std::vector<TimedCall>> read_calls(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.empty() || bytes.size() % sizeof(TimedCall) != 0) {
    return corrupt(path + ", which the calling program wrote, holds no calls");
  }
  std::vector<TimedCall> calls(bytes.size() / sizeof(TimedCall));
  std::memcpy(calls.data(), bytes.data(), bytes.size());
  return calls;
}

}  // namespace

Result<std::vector<WindowFigures>> measure_interference(const TunerSession& session,
                                                        const TunerCalls& calls,
                                                        const TunerBenchOptions& options) {
  ChildProcess program = TRIODE_TRY(session.start("tune", tuner_calls_command(calls)));
  std::string said;
  while (said != "ready" && !has_ended(program.id()) && !was_interrupted()) {
    said = program.read_line();
  }
  const std::vector<Window> windows = watch_in_turns(session, options);
  TRIODE_TRY(finish(program));
  const std::vector<TimedCall> times = TRIODE_TRY(read_calls(calls.output));
  std::vector<WindowFigures> figures;
  for (const Window& window : windows) {
    const std::optional<WindowFigures> one = figures_of(window, times);
    if (!one) return unavailable("a window held too few calls; the machine is too busy");
    figures.push_back(*one);
  }
  if (figures.size() < 3) {
    return unavailable("the tuner ran out of work before it could be watched");
  }
  return figures;
}

}  // namespace triode::bench
