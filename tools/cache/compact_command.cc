// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "cache/maintenance.h"
#include "tools/cache/commands.h"
#include "tools/cache/figures.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/progress_line.h"

namespace triode::cache_tool {
namespace {

int run(const Arguments& arguments, const Context& context) {
  if (!arguments.positionals().empty()) {
    return complain(context, invalid_argument("compact takes no words"), true);
  }
  const auto cache = open_to_write(context.path);
  if (!cache.ok()) return complain(context, cache.status());
  ProgressLine line(context, "compacting");
  const Result<CompactReport> report = compact(**cache, [&](int64_t done, int64_t about) {
    line.show(done, about);
    return true;
  });
  if (!report.ok()) return complain(context, report.status());
  if (context.json) {
    context.out << nlohmann::ordered_json{{"trials_before", report->trials_before},
                                          {"trials_after", report->trials_after},
                                          {"bytes_before", report->bytes_before},
                                          {"bytes_after", report->bytes_after}}
                       .dump()
                << "\n";
    return kDone;
  }
  context.out << count_text(report->trials_before) << " trials became "
              << count_text(report->trials_after) << ", " << bytes_text(report->bytes_before)
              << " became " << bytes_text(report->bytes_after) << "\n";
  return kDone;
}

}  // namespace

const Command& compact_command() {
  static const Command command{"compact", {}, {}, run};
  return command;
}

}  // namespace triode::cache_tool
