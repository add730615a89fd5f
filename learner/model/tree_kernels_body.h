// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model: the loop of tree_kernels.h over one width of vectors. Included by one
// file for each width, under the same rules as block_kernels_body.h.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "learner/model/block_kernels.h"
#include "learner/model/tree_ensemble.h"
#include "learner/model/tree_kernels.h"

namespace triode {
namespace {

#if defined(__AVX512F__)
constexpr size_t kTreeVectorBytes = 64;
#elif defined(__AVX2__)
constexpr size_t kTreeVectorBytes = 32;
#else
constexpr size_t kTreeVectorBytes = 16;
#endif
using TreeVector = float __attribute__((vector_size(kTreeVectorBytes), aligned(4), may_alias));
using PlaceVector = int32_t __attribute__((vector_size(kTreeVectorBytes)));
constexpr size_t kTreeWidth = kTreeVectorBytes / sizeof(float);

#define TRIODE_INLINE inline __attribute__((always_inline))

// leaf[place], lane by lane. Thirty-two leaves are two registers, out of which one instruction
// picks.
TRIODE_INLINE void add_leaves(const float* leaf, int32_t depth, const PlaceVector& place,
                              float* totals) {
#if defined(__AVX512F__)
  const auto index = (__m512i)place;
  __m512 picked = _mm512_setzero_ps();
  if (depth == 5) {
    picked = _mm512_permutex2var_ps(_mm512_loadu_ps(leaf), index, _mm512_loadu_ps(leaf + 16));
  } else {
    picked = _mm512_mask_i32gather_ps(picked, 0xffff, index, leaf, 4);
  }
  _mm512_storeu_ps(totals, _mm512_add_ps(_mm512_loadu_ps(totals), picked));
#elif defined(__AVX2__)
  static_cast<void>(depth);
  const __m256 picked = _mm256_i32gather_ps(leaf, (__m256i)place, 4);
  _mm256_storeu_ps(totals, _mm256_add_ps(_mm256_loadu_ps(totals), picked));
#else
  static_cast<void>(depth);
  for (size_t lane = 0; lane < kTreeWidth; ++lane) totals[lane] += leaf[place[lane]];
#endif
}

void add_trees(const TreeCall& call) {
  const float* rows[kMaxTreeDepth];
  float thresholds[kMaxTreeDepth];
  int32_t bits[kMaxTreeDepth];
  for (size_t tree = 0; tree < call.trees; ++tree) {
    int32_t shared = 0;  // answers that are the same for all configs
    int32_t asked = 0;   // the other questions
    for (int32_t level = 0; level < call.depth; ++level) {
      const size_t question = tree * static_cast<size_t>(call.depth) + static_cast<size_t>(level);
      const size_t feature = call.feature[question];
      if (feature < call.problem_count) {
        shared |= static_cast<int32_t>(call.problem[feature] > call.threshold[question]) << level;
        continue;
      }
      rows[asked] = call.varying + (feature - call.problem_count) * kBlockColumns;
      thresholds[asked] = call.threshold[question];
      bits[asked++] = 1 << level;
    }
    const float* leaf = call.leaf + (tree << call.depth);
    for (size_t column = 0; column < call.columns; column += kTreeWidth) {
      PlaceVector place = PlaceVector{} + shared;
      for (int32_t q = 0; q < asked; ++q) {
        const auto& values = *reinterpret_cast<const TreeVector*>(rows[q] + column);
        place |= (values > TreeVector{} + thresholds[q]) & bits[q];
      }
      add_leaves(leaf, call.depth, place, call.totals + column);
    }
  }
}

#undef TRIODE_INLINE

}  // namespace
}  // namespace triode
