// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/context.h"

#include <ostream>

namespace triode::cache_tool {

int complain(const Context& context, const Status& status, bool is_usage) {
  context.err << "triode-cache: " << status.message() << "\n";
  if (!is_usage) return kFailed;
  context.err << "triode-cache: see 'triode cache --help'\n";
  return kWrongUsage;
}

}  // namespace triode::cache_tool
