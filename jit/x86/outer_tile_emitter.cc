// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/outer_tile_emitter.h"

#include <algorithm>

#include "jit/x86/kernel_registers.h"

namespace triode::x86 {

using asmjit::x86::Mem;
using namespace registers;

namespace {

constexpr int64_t kCacheLineBytes = 64;

// Left-over steps up to this many are written out; more of them get a loop of their own, since code
// that runs once per tile does not pay for its size and the time to emit it.
constexpr int32_t kMaxWrittenOutRemainder = 4;

}  // namespace

Mem OuterTileEmitter::a_element(int32_t row, int32_t at) {
  return simd_.address(kA, row * spec_.a_row_bytes + at * spec_.a_step_bytes);
}

Mem OuterTileEmitter::b_vector(const Panel& panel, int32_t at, int32_t vector) {
  return simd_.address(panel.base, at * panel.row_bytes + vector * simd_.isa().vector_bytes);
}

Mem OuterTileEmitter::c_vector(int32_t row, int32_t vector) {
  return simd_.address(kC, row * spec_.c_row_bytes + vector * simd_.isa().vector_bytes);
}

void OuterTileEmitter::emit(const Shape& shape, const Panel& panel) {
  begin(shape, panel);
  loop_over_k(shape, panel);
  finish(shape);
  simd_.advance(kA, shape.rows * spec_.a_row_bytes);
  simd_.advance(kC, shape.rows * spec_.c_row_bytes);
}

void OuterTileEmitter::begin(const Shape& shape, const Panel& panel) {
  if (spec_.prefetch_c != 0 && !fetches_c_in_loop(shape, panel)) {
    for (int32_t row = 0; row < shape.rows; ++row) fetch_c_row(shape, kC, row * spec_.c_row_bytes);
  }
  for (int32_t sum = 0; sum < shape.rows * shape.vectors; ++sum) simd_.zero(sum);
  if (masks_b(shape, panel)) simd_.set_mask(shape.partial_lanes, simd_.isa().register_count - 1);
}

// All rows of c at once would take every buffer a core has for misses, and b would wait behind
// them. A row in each of the first turns of a long loop leaves room; the scratch register then
// walks over the rows, which it can unless an operand moves by more than an instruction can say.
bool OuterTileEmitter::fetches_c_in_loop(const Shape& shape, const Panel& panel) const {
  const bool is_long = spec_.k / spec_.ku > shape.rows;
  const bool scratch_is_free = SimdEmitter::fits_instruction(spec_.ku * spec_.a_step_bytes) &&
                               SimdEmitter::fits_instruction(spec_.ku * panel.row_bytes) &&
                               SimdEmitter::fits_instruction(spec_.ku * spec_.b_row_bytes) &&
                               SimdEmitter::fits_instruction(spec_.c_row_bytes);
  return spec_.prefetch_c != 0 && is_long && scratch_is_free;
}

void OuterTileEmitter::fetch_c_row(const Shape& shape, const asmjit::x86::Gp& base,
                                   int64_t offset) {
  const int64_t row_bytes = shape.vectors * simd_.isa().vector_bytes;
  for (int64_t at = 0; at < row_bytes; at += kCacheLineBytes) {
    simd_.assembler().prefetcht0(simd_.address(base, offset + at));
  }
}

void OuterTileEmitter::loop_over_k(const Shape& shape, const Panel& panel) {
  const auto unroll = static_cast<int32_t>(std::min<int64_t>(spec_.ku, spec_.k));
  int64_t turns = spec_.k / unroll;
  const auto left = static_cast<int32_t>(spec_.k % unroll);
  int64_t advanced = 0;
  const auto emit_loop = [&](int64_t count, int32_t steps, bool fetch_c) {
    simd_.repeat(kSteps, count, [&] {
      if (fetch_c) fetch_c_row(shape, kScratch, 0);
      for (int32_t at = 0; at < steps; ++at) step(shape, panel, at);
      advance_over_k(shape, panel, steps);
      if (fetch_c) simd_.advance(kScratch, spec_.c_row_bytes);
    });
    advanced += count * steps;
  };
  if (fetches_c_in_loop(shape, panel)) {
    simd_.assembler().mov(kScratch, kC);
    emit_loop(shape.rows, unroll, true);
    turns -= shape.rows;
  }
  if (turns > 1 || advanced > 0) {
    emit_loop(turns, unroll, false);
  } else {
    for (int32_t at = 0; at < unroll; ++at) step(shape, panel, at);
    if (left > 0) {
      advance_over_k(shape, panel, unroll);
      advanced += unroll;
    }
  }
  if (left > kMaxWrittenOutRemainder) {
    emit_loop(left, 1, false);
  } else {
    for (int32_t at = 0; at < left; ++at) step(shape, panel, at);
  }
  advance_over_k(shape, panel, -advanced);
}

void OuterTileEmitter::advance_over_k(const Shape& shape, const Panel& panel, int64_t steps) {
  simd_.advance(kA, steps * spec_.a_step_bytes);
  simd_.advance(panel.base, steps * panel.row_bytes);
  if (panel.store_packed) {
    simd_.advance(kWorkspace, steps * shape.vectors * simd_.isa().vector_bytes);
  }
  if (panel.next_panel_lines > 0) simd_.advance(kB, steps * spec_.b_row_bytes);
}

void OuterTileEmitter::step(const Shape& shape, const Panel& panel, int32_t at) {
  prefetch(shape, panel, at);
  const int32_t sums = shape.rows * shape.vectors;
  const bool mask_register = masks_b(shape, panel) && !simd_.isa().has_opmask;
  const int32_t last_register = simd_.isa().register_count - (mask_register ? 2 : 1);
  if (shape.rows == 1 && !panel.store_packed) {
    multiply_single_row(shape, panel, at);
  } else if (shape.vectors == 1 && simd_.isa().has_opmask) {
    multiply_single_vector(shape, panel, at);
  } else if (sums + shape.vectors <= last_register) {
    multiply_by_rows_of_b(shape, panel, at, last_register);
  } else {
    multiply_by_columns_of_a(shape, panel, at, last_register);
  }
}

void OuterTileEmitter::multiply_by_rows_of_b(const Shape& shape, const Panel& panel, int32_t at,
                                             int32_t last_register) {
  const int32_t b = shape.rows * shape.vectors;
  const int32_t a = b + shape.vectors;
  const int32_t a_count = std::min(last_register - a + 1, shape.rows);
  for (int32_t v = 0; v < shape.vectors; ++v) load_b(shape, panel, at, v, b + v);
  for (int32_t row = 0; row < shape.rows; ++row) {
    const int32_t repeated = a + row % a_count;
    simd_.broadcast(repeated, a_element(row, at));
    for (int32_t v = 0; v < shape.vectors; ++v) {
      simd_.fma(row * shape.vectors + v, repeated, b + v);
    }
  }
}

void OuterTileEmitter::multiply_by_columns_of_a(const Shape& shape, const Panel& panel, int32_t at,
                                                int32_t last_register) {
  const int32_t a = shape.rows * shape.vectors;
  const int32_t b = a + shape.rows;
  const int32_t b_count = std::min(last_register - b + 1, shape.vectors);
  for (int32_t row = 0; row < shape.rows; ++row) simd_.broadcast(a + row, a_element(row, at));
  for (int32_t v = 0; v < shape.vectors; ++v) {
    const int32_t loaded = b + v % b_count;
    load_b(shape, panel, at, v, loaded);
    for (int32_t row = 0; row < shape.rows; ++row) {
      simd_.fma(row * shape.vectors + v, a + row, loaded);
    }
  }
}

// b is read once, so it is multiplied straight from memory.
void OuterTileEmitter::multiply_single_row(const Shape& shape, const Panel& panel, int32_t at) {
  const int32_t a = shape.vectors;
  simd_.broadcast(a, a_element(0, at));
  for (int32_t v = 0; v < shape.vectors; ++v) {
    if (is_partial(shape, v) && !panel.is_packed) {
      simd_.load_masked(a + 1, b_vector(panel, at, v));
      simd_.fma(v, a, a + 1);
    } else {
      simd_.fma(v, a, b_vector(panel, at, v));
    }
  }
}

// One vector of b meets each element of a straight from memory, which leaves the registers to the
// sums.
void OuterTileEmitter::multiply_single_vector(const Shape& shape, const Panel& panel, int32_t at) {
  const int32_t free = simd_.isa().register_count - shape.rows;
  const int32_t b = shape.rows + at % std::min(free, 4);
  load_b(shape, panel, at, 0, b);
  for (int32_t row = 0; row < shape.rows; ++row) simd_.fma_element(row, b, a_element(row, at));
}

void OuterTileEmitter::load_b(const Shape& shape, const Panel& panel, int32_t at, int32_t vector,
                              int reg) {
  const Mem from = b_vector(panel, at, vector);
  if (is_partial(shape, vector) && !panel.is_packed) {
    simd_.load_masked(reg, from);
  } else {
    simd_.load(reg, from);
  }
  if (panel.store_packed) {
    const int64_t offset = (at * shape.vectors + vector) * simd_.isa().vector_bytes;
    simd_.store_aligned(simd_.address(kWorkspace, offset), reg);
  }
}

void OuterTileEmitter::prefetch(const Shape& shape, const Panel& panel, int32_t at) {
  if (panel.prefetch_rows > 0) prefetch_b(shape, panel, at);
  if (panel.next_panel_lines > 0) prefetch_next_panel(shape, panel, at);
  if (spec_.prefetch_a != PrefetchA::kNone) prefetch_a(shape, at);
}

void OuterTileEmitter::prefetch_b(const Shape& shape, const Panel& panel, int32_t at) {
  const int64_t row_bytes = shape.vectors * simd_.isa().vector_bytes;
  // The last element of each line's worth, not the first: rows that start inside a line reach one
  // line further, and it is that line that is missing (+39% on 8x4096x1024).
  for (int64_t byte = 0; byte < row_bytes; byte += kCacheLineBytes) {
    const int64_t last = std::min(byte + kCacheLineBytes, row_bytes) - simd_.element_bytes();
    simd_.assembler().prefetcht0(
        simd_.address(panel.base, (at + panel.prefetch_rows) * panel.row_bytes + last));
  }
}

void OuterTileEmitter::prefetch_next_panel(const Shape& shape, const Panel& panel, int32_t at) {
  if (at % panel.next_panel_every != panel.next_panel_step) return;
  const int64_t next = at * spec_.b_row_bytes + shape.vectors * simd_.isa().vector_bytes;
  for (int64_t line = 1; line <= panel.next_panel_lines; ++line) {
    // The last element of the line's worth, for the same reason as above.
    const int64_t last = line * kCacheLineBytes - simd_.element_bytes();
    simd_.assembler().prefetcht1(simd_.address(kB, next + last));
  }
}

// Rows of the next tile take turns over the steps that share a line, so that no step fetches more
// than its part.
void OuterTileEmitter::prefetch_a(const Shape& shape, int32_t at) {
  const int64_t steps_per_line = std::max<int64_t>(1, kCacheLineBytes / spec_.a_step_bytes);
  const auto period = static_cast<int32_t>(std::min<int64_t>(spec_.ku, steps_per_line));
  const int32_t line_start = at / period * period;
  for (int32_t row = at % period; row < shape.rows; row += period) {
    const Mem next = a_element(shape.rows + row, line_start);
    if (spec_.prefetch_a == PrefetchA::kL1) {
      simd_.assembler().prefetcht0(next);
    } else {
      simd_.assembler().prefetcht1(next);
    }
  }
}

void OuterTileEmitter::finish(const Shape& shape) {
  const bool masked = shape.partial_lanes > 0 &&
                      (spec_.edge == EdgeStore::kMasked || spec_.beta != ScalarClass::kZero);
  if (masked) simd_.set_mask(shape.partial_lanes, simd_.isa().register_count - 1);
  for (int32_t row = 0; row < shape.rows; ++row) {
    for (int32_t v = 0; v < shape.vectors; ++v) store_vector(shape, row, v);
  }
}

void OuterTileEmitter::store_vector(const Shape& shape, int32_t row, int32_t vector) {
  const int32_t sum = row * shape.vectors + vector;
  const int32_t free = shape.rows * shape.vectors;  // the operands' registers are free by now
  const Mem to = c_vector(row, vector);
  const bool partial = is_partial(shape, vector);
  if (spec_.alpha != ScalarClass::kOne) {
    simd_.multiply(sum, asmjit::x86::ptr(kScalars, offsetof(KernelScalars, alpha)));
  }
  if (spec_.beta == ScalarClass::kOne && !partial) {
    simd_.add(sum, to);
  } else if (spec_.beta != ScalarClass::kZero) {
    partial ? simd_.load_masked(free, to) : simd_.load(free, to);
    if (spec_.beta == ScalarClass::kOne) {
      simd_.add(sum, free);
    } else {
      simd_.fma(sum, free, asmjit::x86::ptr(kScalars, offsetof(KernelScalars, beta)));
    }
  }
  if (!partial) {
    spec_.stores == StoreKind::kStreaming ? simd_.store_streaming(to, sum) : simd_.store(to, sum);
  } else if (spec_.edge == EdgeStore::kMasked) {
    simd_.store_masked(to, sum);
  } else {
    simd_.store_split(to, sum, shape.partial_lanes);
  }
}

}  // namespace triode::x86
