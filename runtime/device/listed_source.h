// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/target.h"
#include "runtime/device/replay_device.h"

namespace triode {

// All that was recorded of one problem.
struct ListedProblem {
  Problem problem;
  std::shared_ptr<const Space> space;  // of the configs; may allow others besides
  std::map<Config, ReplayedTrial> trials{};
  std::optional<ReplayedTrial> vendor{};
};

// A source of what is listed. Its spaces hold, for each problem, exactly the configs that were
// tried. Of a problem that is listed twice, the first counts.
std::shared_ptr<const ReplaySource> make_listed_source(Target target,
                                                       std::vector<ListedProblem> problems);

}  // namespace triode
