// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learner/train/timed_problem.h"

namespace triode::train {

// Which problems train a model and which judge it: positions in the list that was split.
struct Split {
  std::vector<size_t> train;
  std::vector<size_t> test;
};

// The same for all problems whose m, n and k are the same three numbers in any order: a transpose
// runs nearly the same code on nearly the same data, so one must not train what judges the other.
// Stable on every machine.
uint64_t shape_group(const Problem& problem);

// `folds` splits: each shape group is in the test part of exactly one of them, on all devices and
// from all sources. Which one follows from the group and the seed alone, so that a problem more or
// less moves no other one.
std::vector<Split> grouped_folds(std::span<const TimedProblem> problems, size_t folds,
                                 uint64_t seed);

// Trains on synthetic shapes (sources named `<device>_mm`) and tests on those of real models (all
// other sources), without the synthetic ones of a tested group: a new user's situation.
Split shift_split(std::span<const TimedProblem> problems);

// Names a split: sha256 over its problems, on which side each stands. Independent of their order.
// Two evaluations with equal digests judged the same problems by models that had seen the same.
std::string split_digest(std::span<const TimedProblem> problems, std::span<const Split> splits);

// Names data: sha256 over problems, configs and times, in hexadecimal.
std::string data_digest(std::span<const TimedProblem> problems);

}  // namespace triode::train
