// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode::bench {

// A problem to measure and what a reader calls it.
struct Shape {
  std::string
      label;  // "64,2048,2048", perhaps with the model it comes from; empty: the problem's text
  Problem problem;
};

// A built-in list of shapes.
struct ShapeSet {
  std::string_view name;
  std::string_view about;
};
std::span<const ShapeSet> shape_sets();

// kInvalidArgument names the sets there are.
Result<std::vector<Shape>> shapes_of_set(std::string_view name, DType dtype);

// One problem per line: its canonical text, or `m,n,k` (of `dtype`, not transposed). `#` starts a
// comment. An error begins with `file_name:line:`.
Result<std::vector<Shape>> parse_shapes(std::istream& text, std::string_view file_name,
                                        DType dtype);
Result<std::vector<Shape>> read_shapes_file(const std::string& path, DType dtype);

// Sizes drawn log-uniformly from 1…2048, at most 2 GFLOP, a third of the sizes multiples of 16.
// The same seed gives the same shapes.
std::vector<Shape> random_shapes(std::size_t count, std::uint64_t seed, DType dtype);

// "nn", "nt", "tn" or "tt".
std::string_view transposes_of(const Problem& problem);

// The label and, unless nn, the transposes.
std::string display_name(const Shape& shape);

// The same product with operands stored so, at tight leading dimensions.
Shape with_transposes(const Shape& shape, std::string_view transposes);

// So little work that the cost of the call counts: reported apart, because a library pays for
// generality there that a JIT does not.
bool is_tiny(const Problem& problem);

}  // namespace triode::bench
