// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/context.h"

namespace triode::cache_tool {

int complain(const Context& context, const Status& status, bool is_usage) {
  return cli::complain("cache", status, is_usage ? kWrongUsage : kFailed, context.err);
}

}  // namespace triode::cache_tool
