// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "tests/reference/guarded_memory.h"

namespace triode {

// A stored matrix, or a batch of them at a fixed stride. In elements.
struct MatrixShape {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t ld = 0;
  int64_t batch = 1;
  int64_t batch_stride = 0;

  // From the first element to just past the last one: the last row ends at its last column, not at
  // ld.
  int64_t extent() const;
};

// An f32 or f64 matrix in guarded memory of just its extent. What lies between its rows and between
// the matrices of a batch are gaps: they hold a NaN of their own, so that a gap used as a value
// spoils the result, and a write into one is found by damage(). A gap may be read, as long as its
// value is not used.
class GuardedMatrix {
 public:
  GuardedMatrix(DType dtype, const MatrixShape& shape, Guard guard, size_t offset_bytes = 0);

  // Values in [-1, 1) that depend on the seed and the position alone; and the gaps.
  void fill(uint64_t seed);
  // One value everywhere; and the gaps.
  void fill_with(double value);

  double get(int64_t batch, int64_t row, int64_t column) const;
  void set(int64_t batch, int64_t row, int64_t column, double value);

  void* data() { return memory_.data(); }
  const MatrixShape& shape() const { return shape_; }
  GuardedMemory& memory() { return memory_; }
  const GuardedMemory& memory() const { return memory_; }

  // The bytes of the whole extent, to compare with or to go back to.
  std::vector<std::byte> snapshot() const;
  void restore(const std::vector<std::byte>& snapshot);

  // The first write into a gap or beside the matrix since it was filled; empty if there was none.
  std::optional<std::string> damage() const;

 private:
  int64_t offset_of(int64_t batch, int64_t row, int64_t column) const;  // in elements
  void store(int64_t offset, double value);
  void fill_gaps();
  bool gap_is_intact(int64_t offset) const;

  DType dtype_;
  MatrixShape shape_;
  GuardedMemory memory_;
  std::vector<int64_t> gaps_;  // offsets of the elements that belong to no matrix, rising
};

}  // namespace triode
