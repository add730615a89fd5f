// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_calls_command.h"

#include <signal.h>
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <span>
#include <system_error>
#include <utility>

#include "core/status.h"
#include "tools/bench/command_line.h"
#include "tools/bench/comparison.h"
#include "tools/bench/tuner_caller.h"
#include "tools/bench/tuner_json.h"
#include "tools/bench/tuner_results.h"
#include "tools/bench/tuner_shapes.h"
#include "tools/bench/tuner_statistics.h"

namespace triode::bench {
namespace {

// Time of the calls that one turn of settle() makes of a shape: the same for all, as if the program
// spent as much on each. A shape whose one call takes longer is called once.
constexpr double kSettleSampleNs = 200e3;
// More than calls must cost before anybody tunes them (host: some milliseconds).
constexpr double kWorthTuningNs = 20e6;
// In which plans that are known come; one that the program has withdrawn does not.
constexpr double kPlanPatienceNs = 10e9;
constexpr std::chrono::microseconds kPairSample(500);

volatile sig_atomic_t g_stops = 0;

class CallingProgram {
 public:
  CallingProgram(TunerCalls what, TunerCaller caller, std::ostream& out)
      : what_(std::move(what)), caller_(std::move(caller)), out_(out) {}

  Status run() {
    signal(SIGTERM, [](int) { g_stops = 1; });
    // Nobody else would end it if the benchmark were killed.
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (what_.what == "settle") return settle();
    if (what_.what == "pairs") return time_pairs();
    if (what_.what == "foreground") return be_watched();
    if (what_.what == "first-calls") return make_first_calls();
    return invalid_argument("nothing is called '" + what_.what + "'");
  }

 private:
  Result<std::vector<ComparedCall>> bind(std::span<const Problem> problems) const {
    std::vector<ComparedCall> calls;
    for (const Problem& problem : problems) {
      calls.push_back(TRIODE_TRY(caller_.bind(problem, what_.seed)));
    }
    return calls;
  }
  std::vector<Problem> shapes() const {
    return tuner_shapes(what_.shapes, what_.seed, what_.largest);
  }
  void say_ready() { out_ << "ready" << std::endl; }

  Status write(const std::string& bytes) const {
    std::ofstream file(what_.output, std::ios::binary);
    file << bytes;
    file.close();
    return file ? Status() : unavailable("cannot write " + what_.output);
  }

  // So that the library's calls of one turn take kSettleSampleNs.
  static void calibrate(std::vector<ComparedCall>& calls) {
    for (ComparedCall& call : calls) {
      call.by_library();
      double once = time_calls(call.by_library, 1);
      if (once < kSettleSampleNs / 100) once = time_calls(call.by_library, 100) / 100;
      call.repeats = std::max(1, static_cast<int>(kSettleSampleNs / once));
    }
  }

  Status settle() {
    std::vector<ComparedCall> calls = TRIODE_TRY(bind(shapes()));
    calibrate(calls);
    std::vector<ConvergenceRound> rounds;
    const std::int64_t begin = steady_ns();
    // Until every shape was worth tuning some turns ago, stopped or not.
    const auto least = static_cast<std::size_t>(kWorthTuningNs / kSettleSampleNs);
    while (g_stops == 0) {
      ConvergenceRound round;
      for (const ComparedCall& call : calls) {
        call.by_library();  // brings the operands back, for both
        round.program_ns += time_calls(call.by_program, call.repeats);
        round.vendor_ns += time_calls(call.by_library, call.repeats);
      }
      round.seconds = 1e-9 * static_cast<double>(steady_ns() - begin);
      rounds.push_back(round);
      if (rounds.size() == least) say_ready();
    }
    return write(to_json_text(rounds));
  }

  // Calls every shape until as many are answered by Triode as there are plans, or it takes too
  // long: each result says who answered.
  Status await_plans(const std::vector<ComparedCall>& calls) const {
    const std::int64_t begin = steady_ns();
    for (std::size_t ours = 0; ours < what_.plans;) {
      for (const ComparedCall& call : calls) call_for(call, kWorthTuningNs / 4);
      ours = 0;
      for (const ComparedCall& call : calls) ours += TRIODE_TRY(caller_.is_ours(call)) ? 1 : 0;
      if (static_cast<double>(steady_ns() - begin) > kPlanPatienceNs) break;
    }
    return {};
  }

  static void call_for(const ComparedCall& call, double ns) {
    const std::int64_t begin = steady_ns();
    while (static_cast<double>(steady_ns() - begin) < ns) call.by_program();
  }

  Status time_pairs() {
    const std::vector<ComparedCall> calls = TRIODE_TRY(bind(shapes()));
    TRIODE_TRY(await_plans(calls));
    std::vector<PairedShape> pairs;
    for (const ComparedCall& call : calls) {
      TRIODE_TRY(caller_.check(call));
      pairs.push_back(TRIODE_TRY(time_pair(call)));
    }
    return write(to_json_text(pairs));
  }

  Result<PairedShape> time_pair(const ComparedCall& call) const {
    PairedShape pair;
    pair.problem = to_string(call.problem);
    pair.is_ours = TRIODE_TRY(caller_.is_ours(call));
    ContestOptions options;
    options.rounds = what_.rounds;
    options.min_sample = kPairSample;
    const Contestant contestants[] = {{"library", call.by_library}, {"program", call.by_program}};
    const Contest contest = hold_contest(contestants, options);
    pair.is_undisturbed = contest.is_undisturbed;
    pair.vendor_ns = contest.series[0].per_call_ns;
    pair.program_ns = contest.series[1].per_call_ns;
    return pair;
  }

  Status be_watched() {
    const std::vector<ComparedCall> calls = TRIODE_TRY(bind(shapes()));
    const std::vector<ComparedCall> unseen =
        TRIODE_TRY(bind(tuner_shapes(what_.unseen, what_.seed + 1)));
    TRIODE_TRY(await_plans(calls));
    for (const ComparedCall& call : unseen) call_for(call, kWorthTuningNs);
    say_ready();
    std::vector<TimedCall> times;
    while (g_stops == 0) {
      for (const ComparedCall& call : calls) {
        const std::int64_t begin = steady_ns();
        call.by_program();
        times.push_back({begin, steady_ns() - begin});
      }
    }
    return write({reinterpret_cast<const char*>(times.data()), times.size() * sizeof(TimedCall)});
  }

  Status make_first_calls() {
    const std::vector<ComparedCall> calls = TRIODE_TRY(bind(shapes()));
    // The first matmul of a process finds its library, which is no matter of the shape.
    TRIODE_TRY(caller_.bind(Problem::mm(DType::kF32, 3, 3, 3), 1)).by_program();
    FirstCalls times;
    for (const ComparedCall& call : calls) {
      call.by_library();  // brings the operands into the caches, for all three
      times.library_ns.push_back(time_calls(call.by_library, 1));
      times.library_again_ns.push_back(time_calls(call.by_library, 1));
      times.first_ns.push_back(time_calls(call.by_program, 1));
    }
    return write(to_json_text(times));
  }

  const TunerCalls what_;
  const TunerCaller caller_;
  std::ostream& out_;
};

Status make_calls(const TunerCalls& what, std::ostream& out) {
  return CallingProgram(what, TRIODE_TRY(TunerCaller::make(what.vendor, what.venv)), out).run();
}

}  // namespace

std::vector<std::string> tuner_calls_command(const TunerCalls& what) {
  std::error_code ignored;  // an empty name cannot be started, which says enough
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return {program.string(), kTunerCallsName,
          "--what",         what.what,
          "--vendor",       what.vendor,
          "--venv",         what.venv,
          "--output",       what.output,
          "--shapes",       std::to_string(what.shapes),
          "--largest",      std::to_string(what.largest),
          "--seed",         std::to_string(what.seed),
          "--rounds",       std::to_string(what.rounds),
          "--plans",        std::to_string(what.plans),
          "--unseen",       std::to_string(what.unseen)};
}

int run_tuner_calls(const std::vector<std::string>& arguments, std::ostream& out,
                    std::ostream& err) {
  TunerCalls what;
  CLI::App app;
  app.add_option("--what", what.what)->required();
  app.add_option("--vendor", what.vendor)->required();
  app.add_option("--venv", what.venv)->required();
  app.add_option("--output", what.output)->required();
  app.add_option("--shapes", what.shapes)->required();
  app.add_option("--largest", what.largest)->check(CLI::Range(kSmallestSize + 1, kLargestSize));
  app.add_option("--seed", what.seed);
  app.add_option("--rounds", what.rounds);
  app.add_option("--plans", what.plans);
  app.add_option("--unseen", what.unseen);
  try {
    app.parse(
        std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // it pops from the end
  } catch (const CLI::ParseError& error) {
    return complain(invalid_argument(error.what()), kWrongUsage, err);
  }
  const Status status = make_calls(what, out);
  return status.ok() ? kDone : complain(status, kFailed, err);
}

}  // namespace triode::bench
