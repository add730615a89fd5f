// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cache_options.h"

#include <CLI/CLI.hpp>

namespace triode::bench {

Result<CacheOptions> parse_cache_options(const std::vector<std::string>& arguments) {
  CacheOptions options;
  CLI::App app;
  app.set_help_flag();  // the help text is docs/cli/bench.md
  app.add_flag("--help,-h", options.help);
  app.add_flag("--version", options.version);
  app.add_flag("--json", options.json);
  app.add_flag("--quiet", options.quiet);
  app.add_option("--seed", options.seed);
  app.add_option("--records", options.records)->check(CLI::Range(1000, 100'000'000));
  app.add_option("--batch", options.batch)->check(CLI::Range(1, 1'000'000));
  app.add_option("--gets", options.gets)->check(CLI::Range(100, 10'000'000));
  app.add_option("--openings", options.openings)->check(CLI::Range(1, 1000));
  app.add_option("--folder", options.folder);
  try {
    app.parse(
        std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // it pops from the end
  } catch (const CLI::ParseError& error) {
    return invalid_argument(error.what());
  }
  return options;
}

}  // namespace triode::bench
