// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "learner/train/choice_judge.h"
#include "learner/train/timed_problem.h"

namespace triode::train {

// What a model has to beat. None looks at the times of the problem it ranks.

// Configs that fit the device, in an order drawn from the problem and the seed.
Ranker random_ranker(uint64_t seed);

// The configs that together do best on the `known` problems, chosen one after the other: the list a
// user ships who tuned once. Configs that it does not hold follow in any order.
Ranker static_ranker(std::span<const TimedProblem> problems, std::span<const size_t> known,
                     size_t size);

// FeatureExtractor::analytical_s: the model without any training.
Ranker analytical_ranker();

}  // namespace triode::train
