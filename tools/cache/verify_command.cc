// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "cache/maintenance.h"
#include "tools/cache/commands.h"
#include "tools/cache/figures.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/progress_line.h"
#include "tools/cache/text_table.h"

namespace triode::cache_tool {
namespace {

Progress progress_into(ProgressLine& line) {
  return [&line](int64_t done, int64_t about) {
    line.show(done, about);
    return true;
  };
}

int repair(const Context& context) {
  ProgressLine line(context, "repairing");
  const Result<RepairReport> report = repair_cache(context.path, progress_into(line));
  if (!report.ok()) return complain(context, report.status());
  if (context.json) {
    context.out << nlohmann::ordered_json{{"records", report->records},
                                          {"moved", report->moved},
                                          {"rebuilt", report->is_rebuilt},
                                          {"copied_to", report->copied_to},
                                          {"notes", report->notes}}
                       .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
                << "\n";
    return kDone;
  }
  context.out << count_text(report->records) << " records are sound, " << count_text(report->moved)
              << " damaged ones were moved aside\n";
  if (report->is_rebuilt) {
    context.out << "files were rebuilt; as it was, the cache lies in " << report->copied_to << "\n";
  }
  for (const std::string& note : report->notes) context.out << note << "\n";
  return kDone;
}

void print_report(const VerifyReport& report, const Context& context) {
  if (context.json) {
    nlohmann::ordered_json damages = nlohmann::ordered_json::array();
    for (const Damage& damage : report.damages) {
      damages.push_back(
          {{"family", damage.family}, {"key", damage.key}, {"reason", damage.reason}});
    }
    context.out << nlohmann::ordered_json{{"records", report.records},
                                          {"damaged", report.damaged},
                                          {"damages", damages}}
                       .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
                << "\n";
    return;
  }
  if (!report.damages.empty()) {
    TextTable table({{"FAMILY", false, false}, {"REASON", false, true}, {"KEY", false, true}});
    for (const Damage& damage : report.damages) {
      table.add(
          {{damage.family, Tone::kPlain}, {damage.reason, Tone::kBad}, {damage.key, Tone::kFaint}});
    }
    context.out << table.text(context.terminal) << "\n";
  }
  context.out << count_text(report.records) << " records are sound, " << count_text(report.damaged)
              << " are damaged\n";
}

int run(const Arguments& arguments, const Context& context) {
  if (!arguments.positionals().empty()) {
    return complain(context, invalid_argument("verify takes no words"), true);
  }
  if (arguments.has("--repair")) return repair(context);
  const auto cache = open_to_read(context.path);
  if (!cache.ok()) return complain(context, cache.status());
  ProgressLine line(context, "verifying");
  const Result<VerifyReport> report = verify(**cache, progress_into(line));
  if (!report.ok()) return complain(context, report.status());
  print_report(*report, context);
  if (report->is_sound()) return kDone;
  if (!context.quiet) {
    context.err << "triode-cache: 'triode cache verify --repair' moves the damaged ones aside\n";
  }
  return kFailed;
}

constexpr std::array<std::string_view, 1> kFlags = {"--repair"};

}  // namespace

const Command& verify_command() {
  static const Command command{"verify", {}, kFlags, run};
  return command;
}

}  // namespace triode::cache_tool
