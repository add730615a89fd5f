// SPDX-License-Identifier: Apache-2.0
// The program behind `triode bench`.

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/cache_command.h"
#include "tools/bench/command_line.h"
#include "tools/bench/cpu_gemm_command.h"
#include "tools/bench/hit_calls_command.h"
#include "tools/bench/host_overhead_command.h"
#include "tools/bench/inductor_hook_command.h"
#include "tools/bench/launch_path_command.h"
#include "tools/bench/learner_command.h"
#include "tools/bench/torch_dispatch_command.h"
#include "tools/bench/triton_compile_command.h"
#include "tools/bench/tuner_calls_command.h"
#include "tools/bench/tuner_command.h"

namespace triode::bench {
namespace {

struct Benchmark {
  std::string_view name;
  bool is_listed;  // else a part of another benchmark, which runs it in a process of its own
  // Takes the arguments after the name; returns the exit code.
  int (*run)(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);
};

constexpr Benchmark kBenchmarks[] = {
    {"cpu-gemm", true, run_cpu_gemm},
    {"host-overhead", true, run_host_overhead},
    {"cache", true, run_cache},
    {"learner", true, run_learner},
    {"tuner", true, run_tuner},
    {"inductor-hook", true, run_inductor_hook},
    {"triton-compile", true, run_triton_compile},
    {"launch-path", true, run_launch_path},
    {"torch-dispatch", true, run_torch_dispatch},
    {kHitCallsName, false, run_hit_calls},
    {kTunerCallsName, false, run_tuner_calls},
};

int wrong_usage(const std::string& text) {
  std::string names;
  for (const Benchmark& benchmark : kBenchmarks) {
    if (benchmark.is_listed) names += (names.empty() ? "" : ", ") + std::string(benchmark.name);
  }
  return complain(invalid_argument(text + "; benchmarks: " + names), kWrongUsage, std::cerr);
}

// Without a benchmark, only what every command answers.
int answer_options(const std::vector<std::string>& options) {
  const auto has = [&](const char* option) {
    return std::find(options.begin(), options.end(), option) != options.end();
  };
  if (has("--help") || has("-h")) {
    std::cout << help_text();
  } else if (has("--version")) {
    print_version(has("--json"), std::cout);
  } else {
    return wrong_usage(options.empty() ? "no benchmark given" : "unknown option " + options[0]);
  }
  return kDone;
}

int run(const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return answer_options(words);
  for (const Benchmark& benchmark : kBenchmarks) {
    if (words[0] == benchmark.name) {
      return benchmark.run({words.begin() + 1, words.end()}, std::cout, std::cerr);
    }
  }
  return wrong_usage("no benchmark is called '" + words[0] + "'");
}

}  // namespace
}  // namespace triode::bench

int main(int argc, char** argv) {
  const int code = triode::bench::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  std::cout.flush();
  return code == 0 && !std::cout ? 1 : code;
}
