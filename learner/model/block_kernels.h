// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace triode {

// Configs are computed on in blocks: a matrix of so many columns, one row after the other.
inline constexpr size_t kBlockColumns = 64;

enum class BlockActivation : int32_t { kNone, kRelu, kSilu };

// out[o] = activation(bias[o] + sum over i of weights[o * inputs + i] * in[i]), for whole rows of a
// block. `in` and `out` do not overlap.
struct DenseCall {
  const float* weights;
  const float* bias;
  int32_t inputs;
  int32_t outputs;
  const float* in;
  float* out;
  BlockActivation activation;
};

// out = clamp((in - mean) * scale, -clip, clip), row by row with its own mean and scale.
struct StandardiseCall {
  const float* mean;
  const float* scale;
  int32_t rows;
  float clip;
  const float* in;
  float* out;
};

// The loops of inference for one width of vectors. They differ in the last bits of their results.
struct BlockKernels {
  std::string_view name;  // "avx512", "avx2", "portable"
  void (*dense)(const DenseCall& call);
  void (*standardise)(const StandardiseCall& call);
};

// Those that this processor runs, the fastest first. The last one runs anywhere.
std::span<const BlockKernels> runnable_block_kernels();

}  // namespace triode
