// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/inductor_hook_command.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "inductor_hook_help.h"
#include "tools/bench/python_measurement.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUsualRounds = 101;

Result<Json> measure(const PythonOptions& options) {
  return measure_in_python(options, help::kInductorHook);
}

void print_table(const Json& document, std::ostream& out) {
  const Json& summary = document["summary"];
  print_figure(summary, "%10.1f us  ± %4.2f of it  a ranking of 1,400 configs, features and all\n",
               "rank_us_1400", out);
  print_figure(summary,
               "%10.2f ms  ± %4.2f of it  the whole hook for one matmul with 1,400 choices\n",
               "hook_ms", out);
  char text[120];
  std::snprintf(text, sizeof text,
                "%10.1f x                of diode's speed, whose %.0f ms are recorded\n",
                summary["vs_diode"].get<double>(), document["diode_hook_ms"].get<double>());
  out << text;
}

}  // namespace

int run_inductor_hook(const std::vector<std::string>& arguments, std::ostream& out,
                      std::ostream& err) {
  return run_python_benchmark(arguments, kUsualRounds, measure, print_table, out, err);
}

}  // namespace triode::bench
