// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/kernel_spec.h"

#include <cstring>

#include "jit/x86/register_tile.h"

namespace triode::x86 {
namespace {

template <typename T>
void fill(unsigned char (&to)[64], double value) {
  const T element = static_cast<T>(value);
  for (size_t at = 0; at < sizeof to; at += sizeof element)
    std::memcpy(to + at, &element, sizeof element);
}

}  // namespace

size_t KernelSpecHash::operator()(const KernelSpec& spec) const {
  const int64_t fields[] = {static_cast<int64_t>(spec.isa),
                            static_cast<int64_t>(spec.family),
                            static_cast<int64_t>(spec.dtype),
                            spec.mr,
                            spec.nr,
                            spec.ku,
                            spec.m,
                            spec.n,
                            spec.k,
                            spec.a_row_bytes,
                            spec.a_step_bytes,
                            spec.b_row_bytes,
                            spec.c_row_bytes,
                            static_cast<int64_t>(spec.b_layout),
                            static_cast<int64_t>(spec.alpha),
                            static_cast<int64_t>(spec.beta),
                            static_cast<int64_t>(spec.order),
                            static_cast<int64_t>(spec.rows),
                            static_cast<int64_t>(spec.edge),
                            static_cast<int64_t>(spec.stores),
                            static_cast<int64_t>(spec.prefetch_a),
                            spec.prefetch_b,
                            spec.prefetch_panel,
                            spec.prefetch_c};
  uint64_t hash = 0;
  for (const int64_t field : fields) {
    hash = (hash ^ static_cast<uint64_t>(field)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

KernelScalars make_scalars(DType dtype, double alpha, double beta) {
  KernelScalars scalars;
  if (dtype == DType::kF64) {
    fill<double>(scalars.alpha, alpha);
    fill<double>(scalars.beta, beta);
  } else {
    fill<float>(scalars.alpha, alpha);
    fill<float>(scalars.beta, beta);
  }
  return scalars;
}

int64_t workspace_bytes(const KernelSpec& spec) {
  if (spec.b_layout != BLayout::kStridedAndPacked) return 0;
  return spec.k * vectors_per_row(describe(spec.isa), spec.dtype, spec.nr) *
         describe(spec.isa).vector_bytes;
}

}  // namespace triode::x86
