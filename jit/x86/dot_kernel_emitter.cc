// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/dot_kernel_emitter.h"

#include <algorithm>

#include "jit/x86/kernel_registers.h"
#include "jit/x86/register_tile.h"

namespace triode::x86 {

using namespace registers;

void DotKernelEmitter::emit() {
  if (spec_.order == LoopOrder::kColumnsOuter) {
    emit_columns_outer();
  } else {
    emit_rows_outer();
  }
}

void DotKernelEmitter::emit_columns_outer() {
  for (const RowGroup& columns : cut_rows(spec_.n, spec_.nr, spec_.rows)) {
    simd_.repeat(kColumns, columns.count, [&] {
      for (const RowGroup& rows : cut_rows(spec_.m, spec_.mr, spec_.rows)) {
        simd_.repeat(kRows, rows.count, [&] {
          emit_tile({rows.height, columns.height});
          simd_.advance(kA, rows.height * spec_.a_row_bytes);
          simd_.advance(kC, rows.height * spec_.c_row_bytes);
        });
      }
      simd_.advance(kA, -spec_.m * spec_.a_row_bytes);
      simd_.advance(kB, columns.height * spec_.b_row_bytes);
      simd_.advance(kC, columns.height * simd_.element_bytes() - spec_.m * spec_.c_row_bytes);
    });
  }
}

void DotKernelEmitter::emit_rows_outer() {
  for (const RowGroup& rows : cut_rows(spec_.m, spec_.mr, spec_.rows)) {
    simd_.repeat(kRows, rows.count, [&] {
      for (const RowGroup& columns : cut_rows(spec_.n, spec_.nr, spec_.rows)) {
        simd_.repeat(kColumns, columns.count, [&] {
          emit_tile({rows.height, columns.height});
          simd_.advance(kB, columns.height * spec_.b_row_bytes);
          simd_.advance(kC, columns.height * simd_.element_bytes());
        });
      }
      simd_.advance(kA, rows.height * spec_.a_row_bytes);
      simd_.advance(kB, -spec_.n * spec_.b_row_bytes);
      simd_.advance(kC, rows.height * spec_.c_row_bytes - spec_.n * simd_.element_bytes());
    });
  }
}

void DotKernelEmitter::emit_tile(const Shape& shape) {
  for (int32_t sum = 0; sum < shape.rows * shape.columns; ++sum) simd_.zero(sum);
  loop_over_k(shape);
  finish(shape);
}

void DotKernelEmitter::loop_over_k(const Shape& shape) {
  const int64_t vectors = spec_.k / simd_.lanes();
  const auto partial = static_cast<int32_t>(spec_.k % simd_.lanes());
  const int64_t turns = vectors / spec_.ku;
  int32_t left = static_cast<int32_t>(vectors % spec_.ku);
  int64_t advanced = 0;
  if (turns > 1) {
    simd_.repeat(kSteps, turns, [&] {
      for (int32_t at = 0; at < spec_.ku; ++at) step(shape, at, false);
      advance_over_k(spec_.ku);
    });
    advanced = turns * spec_.ku;
  } else {
    left = static_cast<int32_t>(vectors);
  }
  for (int32_t at = 0; at < left; ++at) step(shape, at, false);
  if (partial > 0) {
    simd_.set_mask(partial, simd_.isa().register_count - 1);
    step(shape, left, true);
  }
  advance_over_k(-advanced);
}

void DotKernelEmitter::advance_over_k(int64_t vectors) {
  simd_.advance(kA, vectors * simd_.isa().vector_bytes);
  simd_.advance(kB, vectors * simd_.isa().vector_bytes);
}

// The shorter side of the tile is held, the other passes through one register.
void DotKernelEmitter::step(const Shape& shape, int32_t at, bool masked) {
  const int32_t held = shape.rows * shape.columns;
  if (shape.rows <= shape.columns) {
    const int32_t passing = held + shape.rows;
    for (int32_t row = 0; row < shape.rows; ++row) load_a(shape, row, at, held + row, masked);
    for (int32_t column = 0; column < shape.columns; ++column) {
      load_b(column, at, passing, masked);
      for (int32_t row = 0; row < shape.rows; ++row) {
        simd_.fma(row * shape.columns + column, held + row, passing);
      }
    }
    return;
  }
  const int32_t passing = held + shape.columns;
  for (int32_t column = 0; column < shape.columns; ++column)
    load_b(column, at, held + column, masked);
  for (int32_t row = 0; row < shape.rows; ++row) {
    load_a(shape, row, at, passing, masked);
    for (int32_t column = 0; column < shape.columns; ++column) {
      simd_.fma(row * shape.columns + column, passing, held + column);
    }
  }
}

void DotKernelEmitter::load_a(const Shape& shape, int32_t row, int32_t at, int reg, bool masked) {
  const int64_t along = at * simd_.isa().vector_bytes;
  const auto from = simd_.address(kA, row * spec_.a_row_bytes + along);
  masked ? simd_.load_masked(reg, from) : simd_.load(reg, from);
  if (spec_.prefetch_a != PrefetchA::kNone) {
    const auto next = simd_.address(kA, (shape.rows + row) * spec_.a_row_bytes + along);
    simd_.assembler().prefetcht0(next);
  }
}

void DotKernelEmitter::load_b(int32_t column, int32_t at, int reg, bool masked) {
  const int64_t along = at * simd_.isa().vector_bytes;
  const auto from = simd_.address(kB, column * spec_.b_row_bytes + along);
  masked ? simd_.load_masked(reg, from) : simd_.load(reg, from);
}

void DotKernelEmitter::finish(const Shape& shape) {
  const int32_t temporary = shape.rows * shape.columns;
  for (int32_t row = 0; row < shape.rows; ++row) {
    int32_t column = 0;
    for (; column + 4 <= shape.columns; column += 4) {
      int32_t sums = row * shape.columns + column;
      if (sums + 3 >= 16) {
        // Four sums are added up in registers below 16; the first row's are stored and free by now.
        for (int32_t i = 0; i < 4; ++i) simd_.copy(i, sums + i);
        sums = 0;
      }
      simd_.sum_lanes_of_four(sums, temporary);
      store(shape, row, column, sums, SimdEmitter::Piece::kFour);
    }
    for (; column < shape.columns; ++column) {
      const int32_t sum = row * shape.columns + column;
      simd_.sum_lanes(sum, temporary);
      store(shape, row, column, sum, SimdEmitter::Piece::kOne);
    }
  }
}

void DotKernelEmitter::store(const Shape& shape, int32_t row, int32_t column, int reg,
                             SimdEmitter::Piece piece) {
  const int32_t temporary = shape.rows * shape.columns;
  const auto to = simd_.address(kC, row * spec_.c_row_bytes + column * simd_.element_bytes());
  if (spec_.alpha != ScalarClass::kOne) {
    simd_.multiply_piece(reg, asmjit::x86::ptr(kScalars, offsetof(KernelScalars, alpha)), piece);
  }
  if (spec_.beta != ScalarClass::kZero) {
    simd_.load_piece(temporary, to, piece);
    if (spec_.beta == ScalarClass::kOther) {
      simd_.multiply_piece(temporary, asmjit::x86::ptr(kScalars, offsetof(KernelScalars, beta)),
                           piece);
    }
    simd_.add_piece(reg, temporary, piece);
  }
  simd_.store_piece(to, reg, piece);
}

}  // namespace triode::x86
