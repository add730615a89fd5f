// SPDX-License-Identifier: Apache-2.0
// The program behind `triode eval`.

#include <iostream>
#include <string>
#include <vector>

#include "tools/eval/eval_options.h"
#include "tools/eval/eval_report.h"
#include "tools/eval/evaluation.h"
#include "tools/train/progress_line.h"
#include "triode_version.h"

namespace triode::eval_tool {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int complain(const Status& status, int code) {
  std::cerr << "triode-eval: " << status.message() << "\n";
  if (code == kWrongUsage) std::cerr << "triode-eval: see 'triode eval --help'\n";
  return code;
}

int evaluate_and_report(const EvalOptions& options) {
  train_tool::ProgressLine line = train_tool::progress_on_stderr(options.quiet);
  const auto evaluation =
      evaluate(options, [&](double done, const std::string& what) { line.show(done, what); });
  line.finish();
  if (!evaluation.ok()) return complain(evaluation.status(), kFailed);
  if (!options.predictions.empty()) {
    const Status written =
        write_predictions(options.predictions, evaluation->problems, evaluation->predictions);
    if (!written.ok()) return complain(written, kFailed);
  }
  std::cout << (options.json ? report_json(options, *evaluation)
                             : report_text(options, *evaluation));
  return kDone;
}

int run(const std::vector<std::string>& arguments) {
  const auto options = parse_eval_options(arguments);
  if (!options.ok()) return complain(options.status(), kWrongUsage);
  if (options->help) {
    std::cout << help_text();
    return kDone;
  }
  if (options->version) {
    if (options->json) {
      std::cout << R"({"name": "triode-eval", "version": ")" << kVersion << "\"}\n";
    } else {
      std::cout << "triode-eval " << kVersion << "\n";
    }
    return kDone;
  }
  return evaluate_and_report(*options);
}

}  // namespace
}  // namespace triode::eval_tool

int main(int argc, char** argv) {
  const int code = triode::eval_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  std::cout.flush();
  return code == 0 && !std::cout ? 1 : code;
}
