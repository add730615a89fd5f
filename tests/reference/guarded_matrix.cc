// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/guarded_matrix.h"

#include <cassert>
#include <cstring>

#include "core/random.h"

namespace triode {
namespace {

// Quiet NaNs with a payload that no arithmetic on ordinary values produces.
constexpr uint32_t kGapF32 = 0x7FC0DEAD;
constexpr uint64_t kGapF64 = 0x7FF8DEADBEEFCAFE;

size_t bytes_of(DType dtype, int64_t elements) {
  return static_cast<size_t>(elements * size_bytes(dtype));
}

std::vector<int64_t> find_gaps(const MatrixShape& shape) {
  std::vector<bool> is_element(static_cast<size_t>(shape.extent()), false);
  for (int64_t i = 0; i < shape.batch; ++i) {
    for (int64_t row = 0; row < shape.rows; ++row) {
      const auto begin = is_element.begin() + (i * shape.batch_stride + row * shape.ld);
      std::fill(begin, begin + shape.columns, true);
    }
  }
  std::vector<int64_t> gaps;
  for (size_t offset = 0; offset < is_element.size(); ++offset) {
    if (!is_element[offset]) gaps.push_back(static_cast<int64_t>(offset));
  }
  return gaps;
}

}  // namespace

int64_t MatrixShape::extent() const {
  if (batch == 0 || rows == 0 || columns == 0) return 0;
  return (batch - 1) * batch_stride + (rows - 1) * ld + columns;
}

GuardedMatrix::GuardedMatrix(DType dtype, const MatrixShape& shape, Guard guard,
                             size_t offset_bytes)
    : dtype_(dtype),
      shape_(shape),
      memory_(bytes_of(dtype, shape.extent()), guard, offset_bytes),
      gaps_(find_gaps(shape)) {
  assert(dtype == DType::kF32 || dtype == DType::kF64);
}

int64_t GuardedMatrix::offset_of(int64_t batch, int64_t row, int64_t column) const {
  assert(batch < shape_.batch && row < shape_.rows && column < shape_.columns);
  return batch * shape_.batch_stride + row * shape_.ld + column;
}

double GuardedMatrix::get(int64_t batch, int64_t row, int64_t column) const {
  const int64_t offset = offset_of(batch, row, column);
  if (dtype_ == DType::kF64) return reinterpret_cast<const double*>(memory_.data())[offset];
  return static_cast<double>(reinterpret_cast<const float*>(memory_.data())[offset]);
}

void GuardedMatrix::set(int64_t batch, int64_t row, int64_t column, double value) {
  store(offset_of(batch, row, column), value);
}

void GuardedMatrix::store(int64_t offset, double value) {
  if (dtype_ == DType::kF64) {
    reinterpret_cast<double*>(memory_.data())[offset] = value;
  } else {
    reinterpret_cast<float*>(memory_.data())[offset] = static_cast<float>(value);
  }
}

void GuardedMatrix::fill(uint64_t seed) {
  Random random(seed);
  const int64_t extent = shape_.extent();
  for (int64_t offset = 0; offset < extent; ++offset) store(offset, 2 * random.uniform() - 1);
  fill_gaps();
}

void GuardedMatrix::fill_with(double value) {
  const int64_t extent = shape_.extent();
  for (int64_t offset = 0; offset < extent; ++offset) store(offset, value);
  fill_gaps();
}

void GuardedMatrix::fill_gaps() {
  for (const int64_t offset : gaps_) {
    std::byte* gap = memory_.data() + bytes_of(dtype_, offset);
    if (dtype_ == DType::kF64) {
      std::memcpy(gap, &kGapF64, sizeof kGapF64);
    } else {
      std::memcpy(gap, &kGapF32, sizeof kGapF32);
    }
  }
}

bool GuardedMatrix::gap_is_intact(int64_t offset) const {
  const std::byte* gap = memory_.data() + bytes_of(dtype_, offset);
  if (dtype_ == DType::kF64) return std::memcmp(gap, &kGapF64, sizeof kGapF64) == 0;
  return std::memcmp(gap, &kGapF32, sizeof kGapF32) == 0;
}

std::vector<std::byte> GuardedMatrix::snapshot() const {
  return {memory_.data(), memory_.data() + memory_.size_bytes()};
}

void GuardedMatrix::restore(const std::vector<std::byte>& snapshot) {
  assert(snapshot.size() == memory_.size_bytes());
  std::copy(snapshot.begin(), snapshot.end(), memory_.data());
}

std::optional<std::string> GuardedMatrix::damage() const {
  for (const int64_t offset : gaps_) {
    if (gap_is_intact(offset)) continue;
    return "the gap " + std::to_string(offset) +
           " elements after the first element was written to (ld " + std::to_string(shape_.ld) +
           ", " + std::to_string(shape_.columns) + " columns)";
  }
  if (!memory_.slack_is_intact()) return "memory just outside the matrix was written to";
  return std::nullopt;
}

}  // namespace triode
