// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "learner/model/snapshot.h"
#include "learner/train/model_trainer.h"
#include "learner/train/timed_problem.h"

namespace triode::train {

// The card that a snapshot carries, as Markdown: `introduction`, then what it was trained on,
// counted by device, source and type, its nets, its recipe and the digest of its data.
std::string model_card(const Snapshot& snapshot, std::span<const TimedProblem> problems,
                       const ModelRecipe& recipe, std::string_view introduction);

}  // namespace triode::train
