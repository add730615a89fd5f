// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/paired_rows_emitter.h"

#include <algorithm>

#include "jit/x86/kernel_registers.h"
#include "jit/x86/register_tile.h"

namespace triode::x86 {

using asmjit::x86::Mem;
using namespace registers;

namespace {

int32_t pairs_of(int32_t rows) {
  return (rows + 1) / 2;
}

}  // namespace

Mem PairedRowsEmitter::a_element(int32_t row, int64_t at) {
  return simd_.address(kA, row * spec_.a_row_bytes + at * spec_.a_step_bytes);
}

Mem PairedRowsEmitter::c_row(int32_t row) {
  return simd_.address(kC, row * spec_.c_row_bytes);
}

void PairedRowsEmitter::emit() {
  pairs_.set_masks(spec_.beta != ScalarClass::kZero);
  for (const RowGroup& group : cut_rows(spec_.m, spec_.mr, spec_.rows)) {
    simd_.repeat(kRows, group.count, [&] { emit_tile(group.height); });
  }
}

void PairedRowsEmitter::emit_tile(int32_t rows) {
  for (int32_t sum = 0; sum < pairs_of(rows); ++sum) simd_.zero(sum);
  loop_over_k(rows);
  finish(rows);
  simd_.advance(kA, rows * spec_.a_row_bytes);
  simd_.advance(kC, rows * spec_.c_row_bytes);
}

void PairedRowsEmitter::loop_over_k(int32_t rows) {
  const int64_t unroll = std::min<int64_t>(std::max(spec_.ku, group_steps()), spec_.k);
  int64_t advanced = 0;
  if (unroll < spec_.k) {
    simd_.repeat(kSteps, spec_.k / unroll, [&] {
      emit_steps(rows, unroll);
      advance_over_k(unroll);
    });
    advanced = spec_.k / unroll * unroll;
  }
  emit_steps(rows, spec_.k - advanced);
  advance_over_k(-advanced);
}

void PairedRowsEmitter::emit_steps(int32_t rows, int64_t count) {
  int64_t at = 0;
  for (; at + group_steps() <= count; at += group_steps()) emit_group(rows, at);
  for (; at < count; ++at) emit_single(rows, at);
}

// The held pairs of a stand behind the sums; a row of b and what is picked for it behind those.
void PairedRowsEmitter::emit_group(int32_t rows, int64_t at) {
  const int32_t held = pairs_of(rows);
  for (int32_t row = 0; row < rows; row += 2) {
    const int32_t reg = held + row / 2;
    pairs_.repeat_sixteen_bytes(reg, a_element(row, at));
    if (row + 1 < rows) pairs_.repeat_sixteen_bytes_above(reg, a_element(row + 1, at));
  }
  const int32_t b = 2 * held;
  const int32_t picked = std::min(simd_.isa().register_count - b - 1, held);
  for (int32_t step = 0; step < group_steps(); ++step) {
    pairs_.load_twice(b, simd_.address(kB, (at + step) * spec_.b_row_bytes));
    for (int32_t pair = 0; pair < held; ++pair) {
      const int32_t factor = b + 1 + pair % picked;
      pairs_.pick(factor, held + pair, step);
      simd_.fma(pair, factor, b);
    }
  }
}

void PairedRowsEmitter::emit_single(int32_t rows, int64_t at) {
  const int32_t held = pairs_of(rows);
  const int32_t b = 2 * held;
  pairs_.load_twice(b, simd_.address(kB, at * spec_.b_row_bytes));
  for (int32_t row = 0; row < rows; row += 2) {
    const int32_t factor = held + row / 2;
    pairs_.repeat_element(factor, a_element(row, at));
    if (row + 1 < rows) pairs_.repeat_element_above(factor, a_element(row + 1, at));
    simd_.fma(row / 2, factor, b);
  }
}

void PairedRowsEmitter::advance_over_k(int64_t steps) {
  simd_.advance(kA, steps * spec_.a_step_bytes);
  simd_.advance(kB, steps * spec_.b_row_bytes);
}

void PairedRowsEmitter::finish(int32_t rows) {
  for (int32_t row = 0; row < rows; row += 2) store_pair(row, row + 1 < rows);
}

void PairedRowsEmitter::store_pair(int32_t first_row, bool is_pair) {
  const int32_t sum = first_row / 2;
  const int32_t free = simd_.isa().register_count - 1;  // the operands' registers are free by now
  if (spec_.alpha != ScalarClass::kOne) {
    simd_.multiply(sum, asmjit::x86::ptr(kScalars, offsetof(KernelScalars, alpha)));
  }
  if (spec_.beta != ScalarClass::kZero) {
    pairs_.load_lower(free, c_row(first_row));
    if (is_pair) pairs_.load_upper(free, c_row(first_row + 1));
    if (spec_.beta == ScalarClass::kOne) {
      simd_.add(sum, free);
    } else {
      simd_.fma(sum, free, asmjit::x86::ptr(kScalars, offsetof(KernelScalars, beta)));
    }
  }
  const bool is_gapless =
      spec_.n * 2 == simd_.lanes() && spec_.c_row_bytes * 2 == simd_.isa().vector_bytes;
  if (is_pair && is_gapless) {
    simd_.store(c_row(first_row), sum);
    return;
  }
  pairs_.store_lower(c_row(first_row), sum);
  if (is_pair) pairs_.store_upper(c_row(first_row + 1), sum, free);
}

}  // namespace triode::x86
