// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_programs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/clock.h"
#include "tools/bench/tuner_session.h"
#include "tuner_programs_help.h"

namespace triode::bench {
namespace {

constexpr std::chrono::seconds kTuningLimit(120);  // of one program
constexpr const char* kForEver = "1000000000";     // turns, until it is ended

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ProgramsBench {
 public:
  ProgramsBench(const TunerBenchOptions& options, const std::string& folder,
                const std::function<void(const std::string&)>& progress)
      : options_(options), folder_(folder), progress_(progress) {}

  Result<ProgramsMeasured> run() {
    ProgramsMeasured measured;
    std::istringstream said(TRIODE_TRY(find_python()));
    std::string names, name;
    std::getline(said, names);
    std::getline(said, measured.python);
    const TunerSession session =
        TRIODE_TRY(TunerSession::open(folder_ + "/programs", single_threaded()));
    std::istringstream list(names);
    while (list >> name) {
      progress_("running the numpy program '" + name + "'");
      ProgramRuns runs;
      runs.name = name;
      const Status status = measure(session, runs);
      if (!status.ok()) runs.remark = status.message();
      measured.programs.push_back(std::move(runs));
    }
    return measured;
  }

 private:
  static std::vector<run::Variable> single_threaded() {
    return {{"OPENBLAS_NUM_THREADS", "1"}, {"OMP_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}};
  }

  std::vector<std::string> command(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {python_, "-c", std::string(help::kTunerPrograms)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }

  Result<std::string> find_python() {
    Result<std::string> said = not_found("no python");
    for (const std::string& python : {options_.venv + "/bin/python3", std::string("python3")}) {
      python_ = python;
      said = output_of(command({}), environment_with({}));
      if (said.ok()) return said;
    }
    return not_found("no Python with numpy: " + said.status().message() +
                     "; run tools/setup, or give --venv");
  }

  // Seconds that the turns took by the program's own clock.
  Result<double> loop_seconds(const TunerSession& session, const std::string& name, int turns) {
    ChildProcess child = TRIODE_TRY(session.start_plainly(command({name, std::to_string(turns)})));
    const std::string said = child.read_all();
    TRIODE_TRY(child.wait());
    return std::strtod(said.c_str(), nullptr);
  }

  // From the start of the process to its end.
  static Result<double> wall_seconds(const std::function<Result<ChildProcess>()>& start) {
    const std::chrono::nanoseconds begin = steady_clock().now();
    ChildProcess child = TRIODE_TRY(start());
    TRIODE_TRY(await_end(child));
    return std::chrono::duration<double>(steady_clock().now() - begin).count();
  }

  Status tune(const TunerSession& session, const std::string& name) const {
    ChildProcess child = TRIODE_TRY(session.start("tune", command({name, kForEver})));
    const bool is_done = session.wait_until_idle(child, kTuningLimit);
    if (!is_done && has_ended(child.id())) return unavailable(name + " ended while it was tuned");
    return {};
  }

  Result<ReportedMatmuls> matmuls_of(const TunerSession& session, const std::string& mode,
                                     const std::vector<std::string>& words) const {
    const std::string report = folder_ + "/report";
    (void)std::remove(report.c_str());
    TRIODE_TRY(wall_seconds([&] {
      return session.start(mode, words, {"--json", "--report-file", report});
    }));
    return read_matmul_report(whole_file(report));
  }

  Status measure(const TunerSession& session, ProgramRuns& runs) {
    constexpr int kFewTurns = 20;
    TRIODE_TRY(loop_seconds(session, runs.name, kFewTurns));  // brings its files into memory
    const double once = TRIODE_TRY(loop_seconds(session, runs.name, kFewTurns)) / kFewTurns;
    const std::string turns = std::to_string(1 + static_cast<int>(options_.program_s / once));
    const std::vector<std::string> words = command({runs.name, turns});
    TRIODE_TRY(tune(session, runs.name));
    for (int round = 0; round < options_.program_rounds; ++round) {
      runs.without_s.push_back(
          TRIODE_TRY(wall_seconds([&] { return session.start_plainly(words); })));
      runs.with_s.push_back(TRIODE_TRY(wall_seconds([&] { return session.start("tune", words); })));
    }
    const double plain = *std::min_element(runs.without_s.begin(), runs.without_s.end());
    runs.matmul_share = TRIODE_TRY(matmuls_of(session, "observe", words)).seconds / plain;
    runs.answered_share = TRIODE_TRY(matmuls_of(session, "tune", words)).answered_share;
    return {};
  }

  const TunerBenchOptions& options_;
  const std::string folder_;
  const std::function<void(const std::string&)>& progress_;
  std::string python_;
};

}  // namespace

Result<ReportedMatmuls> read_matmul_report(const std::string& text) {
  ReportedMatmuls matmuls;
  double calls = 0, answered = 0;
  std::istringstream lines(text);
  std::string line;
  try {
    while (std::getline(lines, line)) {
      const auto json = nlohmann::json::parse(line);
      matmuls.seconds += 1e-9 * json.at("time_ns").get<double>();
      calls += json.at("calls").get<double>();
      answered += json.at("answered").get<double>();
    }
  } catch (const nlohmann::json::exception& error) {
    return corrupt(std::string("the report of a program cannot be read: ") + error.what());
  }
  if (calls == 0) return corrupt("the program reported no matmul");
  matmuls.answered_share = answered / calls;
  return matmuls;
}

Result<ProgramsMeasured> measure_programs(const TunerBenchOptions& options,
                                          const std::string& folder,
                                          const std::function<void(const std::string&)>& progress) {
  return ProgramsBench(options, folder, progress).run();
}

}  // namespace triode::bench
