// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "tools/cache/commands.h"

namespace triode::cache_tool {
namespace {

int run(const Arguments& arguments, const Context& context) {
  if (!arguments.positionals().empty()) {
    return complain(context, invalid_argument("path takes no words"), true);
  }
  if (context.json) {
    context.out << nlohmann::ordered_json{{"path", context.path}}.dump() << "\n";
  } else {
    context.out << context.path << "\n";
  }
  return kDone;
}

}  // namespace

const Command& path_command() {
  static const Command command{"path", {}, {}, run};
  return command;
}

}  // namespace triode::cache_tool
