// SPDX-License-Identifier: Apache-2.0
// The program behind `triode bench`.

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "tools/bench/cpu_gemm_command.h"
#include "triode_version.h"

namespace triode::bench {
namespace {

int wrong_usage(const std::string& text) {
  std::cerr << "triode-bench: " << text << "; benchmarks: cpu-gemm; see 'triode bench --help'\n";
  return kWrongUsage;
}

// Without a benchmark, only what every command answers.
int answer_options(const std::vector<std::string>& options) {
  const auto has = [&](const char* option) {
    return std::find(options.begin(), options.end(), option) != options.end();
  };
  if (has("--help") || has("-h")) {
    std::cout << help_text();
  } else if (has("--version") && has("--json")) {
    std::cout << "{\"name\": \"triode-bench\", \"version\": \"" << kVersion << "\"}\n";
  } else if (has("--version")) {
    std::cout << "triode-bench " << kVersion << "\n";
  } else {
    return wrong_usage(options.empty() ? "no benchmark given" : "unknown option " + options[0]);
  }
  return kDone;
}

int run(const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return answer_options(words);
  if (words[0] != "cpu-gemm") return wrong_usage("no benchmark is called '" + words[0] + "'");
  return run_cpu_gemm({words.begin() + 1, words.end()}, std::cout, std::cerr);
}

}  // namespace
}  // namespace triode::bench

int main(int argc, char** argv) {
  const int code = triode::bench::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  std::cout.flush();
  return code == 0 && !std::cout ? 1 : code;
}
