// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "cache/maintenance.h"
#include "core/unix_time.h"
#include "tools/cache/commands.h"
#include "tools/cache/figures.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/progress_line.h"

namespace triode::cache_tool {
namespace {

Result<PruneOptions> read_options(const Arguments& arguments) {
  PruneOptions options;
  options.device = arguments.value_or("--target", "");
  options.toolchain = arguments.value_or("--toolchain", "");
  options.failed_only = arguments.has("--failed");
  options.is_dry_run = arguments.has("--dry-run");
  if (const auto text = arguments.value("--older-than"); text.has_value()) {
    options.older_than_unix_s = unix_seconds() - TRIODE_TRY(parse_duration(*text));
  }
  if (const auto text = arguments.value("--quarantine-older-than"); text.has_value()) {
    options.quarantined_before_unix_s = unix_seconds() - TRIODE_TRY(parse_duration(*text));
  }
  if (const auto text = arguments.value("--artifacts"); text.has_value()) {
    options.most_artifact_bytes = TRIODE_TRY(parse_bytes(*text));
  }
  const bool says_what = options.failed_only || !options.device.empty() ||
                         !options.toolchain.empty() || options.older_than_unix_s.has_value() ||
                         options.quarantined_before_unix_s.has_value() ||
                         options.most_artifact_bytes.has_value();
  if (!says_what) {
    return invalid_argument(
        "prune drops nothing unless told what: --older-than, --target, "
        "--toolchain, --failed, --artifacts or --quarantine-older-than");
  }
  return options;
}

int run(const Arguments& arguments, const Context& context) {
  if (!arguments.positionals().empty()) {
    return complain(context, invalid_argument("prune takes no words"), true);
  }
  const Result<PruneOptions> options = read_options(arguments);
  if (!options.ok()) return complain(context, options.status(), true);
  const auto cache = open_to_write(context.path);
  if (!cache.ok()) return complain(context, cache.status());
  ProgressLine line(context, "pruning");
  const Result<PruneReport> report = prune(**cache, *options, [&](int64_t done, int64_t about) {
    line.show(done, about);
    return true;
  });
  if (!report.ok()) return complain(context, report.status());
  if (context.json) {
    context.out << nlohmann::ordered_json{{"measurements", report->measurements},
                                          {"artifact_bytes", report->artifact_bytes},
                                          {"quarantined", report->quarantined},
                                          {"dry_run", options->is_dry_run}}
                       .dump()
                << "\n";
    return kDone;
  }
  context.out << (options->is_dry_run ? "would drop " : "dropped ")
              << count_text(report->measurements) << " measurements, "
              << bytes_text(report->artifact_bytes) << " of artifacts, "
              << count_text(report->quarantined) << " quarantined records\n";
  return kDone;
}

constexpr std::array<std::string_view, 5> kOptions = {"--older-than", "--target", "--toolchain",
                                                      "--artifacts", "--quarantine-older-than"};
constexpr std::array<std::string_view, 2> kFlags = {"--failed", "--dry-run"};

}  // namespace

const Command& prune_command() {
  static const Command command{"prune", kOptions, kFlags, run};
  return command;
}

}  // namespace triode::cache_tool
