// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cache_options.h"

#include <CLI/CLI.hpp>

#include "tools/bench/command_line.h"
namespace triode::bench {

Result<CacheOptions> parse_cache_options(const std::vector<std::string>& arguments) {
  CacheOptions options;
  CLI::App app;
  declare_standard(app, options);
  app.add_option("--seed", options.seed);
  app.add_option("--records", options.records)->check(CLI::Range(1000, 100'000'000));
  app.add_option("--batch", options.batch)->check(CLI::Range(1, 1'000'000));
  app.add_option("--gets", options.gets)->check(CLI::Range(100, 10'000'000));
  app.add_option("--openings", options.openings)->check(CLI::Range(1, 1000));
  app.add_option("--folder", options.folder);
  TRIODE_TRY(parse(app, arguments));
  return options;
}

}  // namespace triode::bench
