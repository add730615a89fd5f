// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/launch_path_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "launch_path_help.h"
#include "tools/bench/call_trace.h"
#include "tools/bench/child_process.h"
#include "tools/bench/command_line.h"
#include "tools/bench/scratch_folder.h"
#include "tools/bench/stepping.h"
#include "tools/bench/tuner_session.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUsualCalls = 64;

struct Options : StandardOptions {
  int calls = kUsualCalls;
  std::string venv = TRIODE_DEFAULT_VENV;
  std::string virtual_gpu = TRIODE_VIRTUAL_GPU;
};

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app;
  declare_standard(app, options);
  app.add_option("--calls", options.calls)->check(CLI::Range(1, 100'000));
  app.add_option("--venv", options.venv)->envname("TRIODE_VENV");
  app.add_option("--virtual-gpu", options.virtual_gpu);
  TRIODE_TRY(parse(app, arguments));
  return options;
}

Status check_virtual_gpu(const std::string& folder) {
  for (const char* const name : {"libcuda.so.1", "libcublas.so.13", "libcublasLt.so.13"}) {
    std::error_code ignored;
    if (std::filesystem::exists(folder + "/" + name, ignored)) continue;
    return not_found("no " + std::string(name) + " in '" + folder +
                     "': the virtual GPU is a part of the tests; build with TRIODE_BUILD_TESTS=ON "
                     "and CUDA's headers, or name its folder by --virtual-gpu");
  }
  return {};
}

// What is counted: the first argument of launch_path.py, and whether it is inside Triode.
struct Subject {
  const char* what;
  bool is_intercepted;
};

struct Addresses {
  std::uint64_t entry = 0, launch = 0;
};

// From what the program writes once it is ready; libraries may warn before.
Result<Addresses> read_addresses(ChildProcess& program) {
  std::string last_words;
  while (true) {
    const std::string line = program.read_line();
    Addresses addresses;
    if (std::istringstream(line) >> std::hex >> addresses.entry >> addresses.launch) {
      return addresses;
    }
    if (line.empty()) return unavailable("no launch could be made: " + last_words);
    last_words = line;
  }
}

// What NVIDIA's functions execute on the way says nothing of those of a machine with a GPU.
constexpr std::string_view kNvidias[] = {"libcuda.so", "libcublas"};

class LaunchPathRun {
 public:
  LaunchPathRun(const Options& options, const ScratchFolder& folder, const TunerSession& session,
                std::ostream& err)
      : options_(options), folder_(folder), session_(session), err_(err) {}

  // Instructions of each call from its begin to the driver's launch.
  Result<std::vector<std::int64_t>> count(const Subject& subject) const {
    if (!options_.quiet) err_ << "counting " << subject.what << std::endl;
    // A file, since Triton reads the source of its kernels.
    const std::string script = folder_.file("launch_path.py");
    std::ofstream(script) << help::kLaunchPath;
    const std::vector<std::string> command = {options_.venv + "/bin/python3", script, subject.what,
                                              std::to_string(options_.calls)};
    ChildProcess program = TRIODE_TRY(subject.is_intercepted ? session_.start("tune", command)
                                                             : session_.start_plainly(command));
    const auto [entry, launch] = TRIODE_TRY(read_addresses(program));
    const SteppedThread thread = TRIODE_TRY(SteppedThread::await(program.id()));
    const AddressRange at_launch[] = {{launch, launch + 1}};
    CallTrace trace(entry, at_launch);
    TRIODE_TRY(thread.step_to_next_stop(trace, code_of_files(thread.maps(), kNvidias)));
    thread.release();
    TRIODE_TRY(await_end(program));
    std::vector<std::int64_t> counts;
    for (const CallSteps& call : trace.calls()) {
      // A few of an intercepted function's are the library's turn.
      if (call.kernel > 0) counts.push_back(call.before_kernel);
    }
    if (counts.empty()) return internal_error("no call came to a launch");
    return counts;
  }

 private:
  const Options& options_;
  const ScratchFolder& folder_;
  const TunerSession& session_;
  std::ostream& err_;
};

double median_of(std::vector<std::int64_t> counts) {
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::nth_element(counts.begin(), middle, counts.end());
  return static_cast<double>(*middle);
}

std::vector<run::Variable> variables(const Options& options, const ScratchFolder& folder) {
  return {{"LD_LIBRARY_PATH", options.virtual_gpu},
          {"PYTHONDONTWRITEBYTECODE", "1"},
          {"XDG_RUNTIME_DIR", folder.path()},
          {"TRITON_CACHE_DIR", folder.file("triton")},
          // Any plan will do, and one by NVRTC comes sooner.
          {"TRIODE_PYTHON", "none"},
          {"TRIODE_GPU_TRIALS", "2"},
          {"TRIODE_TUNER_SHARE", "1"}};
}

Result<Json> measure(const Options& options, std::ostream& err) {
  TRIODE_TRY(check_virtual_gpu(options.virtual_gpu));
  const ScratchFolder folder = TRIODE_TRY(ScratchFolder::make());
  const TunerSession session =
      TRIODE_TRY(TunerSession::open(folder.file("cache"), variables(options, folder)));
  const LaunchPathRun run(options, folder, session, err);
  Json document = {{"benchmark", "launch-path"}, {"calls", options.calls}};
  Json summary;
  const auto add = [&](const char* figure, const std::vector<std::int64_t>& counts) {
    summary[figure] = median_of(counts);
    document[figure] = counts;
  };
  add("instructions", TRIODE_TRY(run.count({"gemm_ex", true})));
  add("lt_instructions", TRIODE_TRY(run.count({"lt", true})));
  summary["triton_instructions"] = nullptr;
  const auto triton = run.count({"triton", false});
  if (triton.ok()) add("triton_instructions", *triton);
  summary["triton_remark"] = triton.ok() ? "" : triton.status().message();
  document["summary"] = summary;
  return document;
}

void print_table(const Json& document, std::ostream& out) {
  const Json& summary = document["summary"];
  const auto print = [&](const char* figure, const char* what) {
    char line[120];
    if (summary[figure].is_null()) return;
    (void)std::snprintf(line, sizeof line, "%10.1f  %s\n", summary[figure].get<double>(), what);
    out << line;
  };
  out << "instructions of the host from a call to the driver's launch\n";
  print("instructions", "cublasGemmEx, answered by a plan");
  print("lt_instructions", "cublasLtMatmul, answered by a plan");
  print("triton_instructions", "a kernel launched by Triton's own launcher in Python");
  const std::string remark = summary["triton_remark"];
  if (!remark.empty()) out << "Triton's launcher was not counted: " << remark << "\n";
}

}  // namespace

int run_launch_path(const std::vector<std::string>& arguments, std::ostream& out,
                    std::ostream& err) {
  const Result<Options> options = parse_options(arguments);
  if (const auto answered = answer_without_measuring(options, out, err)) return *answered;
  return print_measured(measure(*options, err), *options, print_table, out, err);
}

}  // namespace triode::bench
