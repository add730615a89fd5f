// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model. The rows of gpu_features.cc for each width of vectors: that file is
// compiled once for each, through gpu_rows_avx2.cc and gpu_rows_avx512.cc.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "learner/model/gpu_quantities.h"
#include "learner/model/lanes.h"

namespace triode {

inline constexpr size_t kMostLanes = 16;
inline constexpr size_t kTritonColumns = 64;  // a multiple of kMostLanes

// The parameters of some configs. From the last one to the next multiple of kMostLanes there must
// be numbers too.
struct TritonColumns {
  float bm[kTritonColumns], bn[kTritonColumns], bk[kTritonColumns], group[kTritonColumns],
      stages[kTritonColumns], warps[kTritonColumns], split[kTritonColumns];
};

// Stores the features that vary, one row every `stride` floats, of the first `count` configs.
// `task` is a GpuTask of four lanes. All widths give the same bits.
using GpuRows = void(const float* task, const TritonColumns& configs, size_t count, float* columns,
                     size_t stride);

namespace lanes_16 {
GpuRows gpu_rows;
}
namespace lanes_8 {
GpuRows gpu_rows;
}
namespace lanes_4 {
GpuRows gpu_rows;
}

// Those that this processor runs, the fastest first. The last one runs anywhere.
std::span<GpuRows* const> runnable_gpu_rows();

// The same task in this file's lanes.
inline namespace TRIODE_LANES_NAMESPACE {
inline GpuTask widened(const float* task) {
  GpuTask out;
  for (size_t i = 0; i < sizeof(GpuTask) / sizeof(Lanes); ++i) {
    const Lanes value = Lanes{} + task[4 * i];
    std::memcpy(reinterpret_cast<char*>(&out) + i * sizeof value, &value, sizeof value);
  }
  return out;
}
}  // namespace TRIODE_LANES_NAMESPACE

}  // namespace triode
