// SPDX-License-Identifier: Apache-2.0
// The program behind `triode eval`.

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/exit_code.h"
#include "tools/cli/help_and_version.h"
#include "tools/eval/eval_options.h"
#include "tools/eval/eval_report.h"
#include "tools/eval/evaluation.h"
#include "tools/train/progress_line.h"

namespace triode::eval_tool {
namespace {

constexpr std::string_view kCommand = "eval";

int evaluate_and_report(const EvalOptions& options) {
  train_tool::ProgressLine line = train_tool::progress_on_stderr(options.quiet);
  const auto evaluation =
      evaluate(options, [&](double done, const std::string& what) { line.show(done, what); });
  line.finish();
  if (!evaluation.ok()) return cli::complain(kCommand, evaluation.status(), cli::kFailed);
  if (!options.predictions.empty()) {
    const Status written =
        write_predictions(options.predictions, evaluation->problems, evaluation->predictions);
    if (!written.ok()) return cli::complain(kCommand, written, cli::kFailed);
  }
  std::cout << (options.json ? report_json(options, *evaluation)
                             : report_text(options, *evaluation));
  return cli::kDone;
}

int run(const std::vector<std::string>& arguments) {
  const auto options = parse_eval_options(arguments);
  if (!options.ok()) return cli::complain(kCommand, options.status(), cli::kWrongUsage);
  if (options->help) {
    std::cout << help_text();
    return cli::kDone;
  }
  if (options->version) {
    cli::print_version("triode-eval", options->json, std::cout);
    return cli::kDone;
  }
  return evaluate_and_report(*options);
}

}  // namespace
}  // namespace triode::eval_tool

int main(int argc, char** argv) {
  const int code = triode::eval_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
