// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/status.h"
#include "learner/model/snapshot.h"

namespace triode::eval_tool {

// The snapshot in the file `path_or_name`, or the one of that name that is shipped: in
// ../share/triode/snapshots of this program. kNotFound says where it was looked for.
Result<Snapshot> find_snapshot(const std::string& path_or_name);

}  // namespace triode::eval_tool
