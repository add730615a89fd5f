// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/problem.h"
#include "core/random.h"

namespace triode {

// A valid problem: every op, type, layout form, scalar class and epilogue; sizes from 0 to far
// beyond what fits in memory.
Problem random_problem(Random& random);

}  // namespace triode
