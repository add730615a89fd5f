// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "tools/cache/arguments.h"
#include "tools/cache/context.h"

namespace triode::cache_tool {

// One subcommand of `triode cache`: its name, the options it takes besides those that all take, and
// what runs it. A command returns the exit code, having said what went wrong.
struct Command {
  std::string_view name;
  std::span<const std::string_view> options;
  std::span<const std::string_view> flags;
  int (*run)(const Arguments& arguments, const Context& context);
};

const Command& ls_command();
const Command& show_command();
const Command& stats_command();
const Command& diff_command();
const Command& export_command();
const Command& import_command();
const Command& verify_command();
const Command& prune_command();
const Command& compact_command();
const Command& path_command();

}  // namespace triode::cache_tool
