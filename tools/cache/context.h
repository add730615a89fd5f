// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "core/status.h"
#include "tools/cache/terminal.h"
#include "tools/cli/exit_code.h"

namespace triode::cache_tool {

using cli::kDone;
using cli::kFailed;
using cli::kWrongUsage;

// What every command gets besides its own arguments.
struct Context {
  std::string path;  // of the cache
  bool json = false;
  bool quiet = false;
  Terminal terminal;        // of `out`
  Terminal error_terminal;  // of `err`
  std::ostream& out;
  std::ostream& err;
};

// Says what went wrong. kWrongUsage for kInvalidArgument if `is_usage`, else kFailed.
int complain(const Context& context, const Status& status, bool is_usage = false);

}  // namespace triode::cache_tool
