// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cache/maintenance.h"
#include "tools/cache/commands.h"
#include "tools/cache/figures.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/text_table.h"

namespace triode::cache_tool {
namespace {

void print_json(const CacheStats& stats, const std::vector<std::string>& devices,
                std::ostream& out) {
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (const FamilyStats& family : stats.families) {
    families.push_back({{"name", family.name},
                        {"records_about", family.records},
                        {"disk_bytes", family.disk_bytes}});
  }
  nlohmann::ordered_json json{{"path", stats.path},
                              {"schema", stats.schema},
                              {"disk_bytes", stats.disk_bytes},
                              {"log_bytes", stats.log_bytes},
                              {"spooled_bytes", stats.spooled_bytes},
                              {"owner_pid", nullptr},
                              {"devices", devices},
                              {"families", families}};
  if (stats.owner_pid.has_value()) json["owner_pid"] = *stats.owner_pid;
  out << json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << "\n";
}

void print_text(const CacheStats& stats, const std::vector<std::string>& devices,
                const Context& context) {
  std::ostream& out = context.out;
  out << "cache    " << stats.path << "\n"
      << "schema   " << stats.schema << "\n"
      << "on disk  " << bytes_text(stats.disk_bytes) << ", of which log "
      << bytes_text(stats.log_bytes) << "\n"
      << "spool    " << bytes_text(stats.spooled_bytes) << "\n"
      << "writer   "
      << (stats.owner_pid.has_value() ? "pid " + std::to_string(*stats.owner_pid) : "none")
      << "\n\n";
  TextTable families(
      {{"FAMILY", false, false}, {"RECORDS", true, false}, {"ON DISK", true, false}});
  for (const FamilyStats& family : stats.families) {
    families.add({{family.name, Tone::kPlain},
                  {"~" + count_text(family.records), Tone::kPlain},
                  {bytes_text(family.disk_bytes), Tone::kPlain}});
  }
  out << families.text(context.terminal) << "\n";
  TextTable table({{"DEVICE", false, true}});
  for (const std::string& device : devices) table.add({{device, Tone::kPlain}});
  out << table.text(context.terminal);
}

int run(const Arguments& arguments, const Context& context) {
  if (!arguments.positionals().empty()) {
    return complain(context, invalid_argument("stats takes no words"), true);
  }
  const auto cache = open_to_read(context.path);
  if (!cache.ok()) return complain(context, cache.status());
  const Result<CacheStats> known = stats(**cache);
  if (!known.ok()) return complain(context, known.status());
  const auto devices = (*cache)->measurements().devices();
  if (!devices.ok()) return complain(context, devices.status());
  if (context.json) {
    print_json(*known, *devices, context.out);
  } else {
    print_text(*known, *devices, context);
  }
  return kDone;
}

}  // namespace

const Command& stats_command() {
  static const Command command{"stats", {}, {}, run};
  return command;
}

}  // namespace triode::cache_tool
