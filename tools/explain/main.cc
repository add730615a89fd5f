// SPDX-License-Identifier: Apache-2.0
// The program behind `triode explain`.

#include <unistd.h>

#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain_help.h"
#include "runtime/model/shipped_models.h"
#include "tools/cache/arguments.h"
#include "tools/cache/cache_folder.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help_and_version.h"
#include "tools/explain/alike_problems.h"
#include "tools/explain/explanation.h"
#include "tools/explain/explanation_output.h"
#include "tools/model/known_models.h"

namespace triode::explain_tool {
namespace {

using cache_tool::Arguments;

constexpr std::string_view kCommand = "explain";

constexpr std::array<std::string_view, 1> kOptions = {"--cache"};
constexpr std::array<std::string_view, 4> kFlags = {"--all", "--features", "--json", "--quiet"};

// The words together: a problem may be given in quotes or without.
Result<Problem> read_problem(const Arguments& arguments) {
  std::string text;
  for (const std::string& word : arguments.positionals()) text += (text.empty() ? "" : " ") + word;
  if (text.empty()) {
    return invalid_argument("which problem? For example: triode explain mm f32 512x512x512 nn");
  }
  return parse_problem(text);
}

Status print(const Problem& problem, const Arguments& arguments) {
  const std::string folder = TRIODE_TRY(cache_tool::cache_folder(arguments));
  const std::string store = TRIODE_TRY(cache_tool::store_path(arguments));
  const auto cache = TRIODE_TRY(model_tool::open_if_there(store));
  std::vector<Problem> timed;
  if (cache != nullptr) timed = TRIODE_TRY(timed_problems_like(problem, *cache));
  Explanation told = TRIODE_TRY(explain(timed.size() == 1 ? timed[0] : problem, cache.get(), folder,
                                        shipped_models_folder()));
  if (timed.size() > 1) told.timed_alike = std::move(timed);
  if (arguments.has("--json")) {
    std::cout << explanation_json(told).dump(-1, ' ', true,
                                             nlohmann::json::error_handler_t::replace)
              << "\n";
    return {};
  }
  OutputLimits limits;
  if (arguments.has("--all")) limits.trials = 0;
  limits.with_features = arguments.has("--features");
  std::cout << explanation_text(told, limits, cache_tool::Terminal::of(STDOUT_FILENO));
  return {};
}

int run(const std::vector<std::string>& words) {
  if (const auto code =
          cli::answer_help_or_version(words, "triode-explain", help::kExplainHelp, std::cout)) {
    return *code;
  }
  const Result<Arguments> arguments = Arguments::parse(words, kOptions, kFlags);
  if (!arguments.ok()) return cli::complain(kCommand, arguments.status(), cli::kWrongUsage);
  const Result<Problem> problem = read_problem(*arguments);
  if (!problem.ok()) return cli::complain(kCommand, problem.status(), cli::kWrongUsage);
  const Status printed = print(*problem, *arguments);
  return printed.ok() ? cli::kDone : cli::complain(kCommand, printed, cli::kFailed);
}

}  // namespace
}  // namespace triode::explain_tool

int main(int argc, char** argv) {
  const int code = triode::explain_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
