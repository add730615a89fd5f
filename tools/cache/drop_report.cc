// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/drop_report.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "tools/cache/figures.h"

namespace triode::cache_tool {

void print_dropped(const exchange::DropList& dropped, const Context& context) {
  if (context.quiet || dropped.entries().empty()) return;
  context.err << "triode-cache: what did not come along:\n";
  for (const auto& entry : dropped.entries()) {
    context.err << "  " << count_text(entry.count) << " x " << entry.reason << "\n      e.g. "
                << entry.example << "\n";
  }
}

nlohmann::ordered_json json_of(const exchange::DropList& dropped) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& entry : dropped.entries()) {
    list.push_back({{"reason", entry.reason}, {"count", entry.count}, {"example", entry.example}});
  }
  return list;
}

}  // namespace triode::cache_tool
