// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/status.h"

namespace triode::x86 {

// A width of vector code and what comes with it. The emitters are written over this description
// alone: another width is another row of the table, not another emitter.
struct VectorIsa {
  std::string_view name;
  int32_t vector_bytes;    // of one register
  int32_t register_count;  // vector registers
  bool has_opmask;         // masks live in k registers (else a vector register holds one)

  int32_t lanes(int64_t element_bytes) const {
    return static_cast<int32_t>(vector_bytes / element_bytes);
  }
};

enum class IsaId : int32_t {
  kAvx2,       // AVX2 and FMA
  kAvx512,     // AVX-512 F, DQ, VL on 64-byte vectors
  kAvx512Ymm,  // the same instructions on 32-byte vectors: twice AVX2's registers
};

const VectorIsa& describe(IsaId isa);

// Every width the emitters know, runnable here or not.
std::span<const IsaId> all_isas();

// The widths this processor can run, in the order of IsaId. Empty on a processor without AVX2.
std::span<const IsaId> runnable_isas();

// "avx2", "avx512", "avx512-ymm".
Result<IsaId> parse_isa(std::string_view text);

}  // namespace triode::x86
