// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/problem.h"
#include "core/random.h"

namespace triode {

// One of the sizes at which tiles, vectors and blocks end: around the powers of two, and small odd
// ones.
int64_t draw_size(Random& random);

// Lengthens the leading dimensions at random: by nothing, by little, or to a multiple of a page.
void draw_leading_dimensions(Problem& problem, Random& random);

// Turns the problem into two or three of its kind: apart, repeating an input, or with the rows of
// the matrices interleaved.
void draw_batch(Problem& problem, Random& random);

}  // namespace triode
