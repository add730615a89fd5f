// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/torch_dispatch_command.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "tools/bench/python_measurement.h"
#include "torch_dispatch_help.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUsualRounds = 301;

// Two processes: a plan is forced on every call of a process or on none.
Result<Json> measure(const PythonOptions& options) {
  Json document =
      TRIODE_TRY(measure_in_python(options, help::kTorchDispatch, {{"TRIODE_MODE", "observe"}}));
  const Json ours =
      TRIODE_TRY(measure_in_python(options, help::kTorchDispatch,
                                   {{"TRIODE_MODE", "observe"}, {"TRIODE_FORCE_PLANS", "first"}}));
  document["calls"].update(ours["calls"]);
  document["summary"].update(ours["summary"]);
  return document;
}

void print_table(const Json& document, std::ostream& out) {
  const Json& summary = document["summary"];
  print_figure(summary, "%8.1f ns  ± %5.1f  added to a call that torch's own kernel answers\n",
               "hit_vendor_ns", out);
  print_figure(summary,
               "%8.1f ns  ± %5.1f  added to one that a kernel of ours answers, gain and all\n",
               "hit_ours_ns", out);
  print_figure(summary, "%8.1f ns  ± %5.1f  torch's own call\n", "direct_ns", out);
}

}  // namespace

int run_torch_dispatch(const std::vector<std::string>& arguments, std::ostream& out,
                       std::ostream& err) {
  return run_python_benchmark(arguments, kUsualRounds, measure, print_table, out, err);
}

}  // namespace triode::bench
