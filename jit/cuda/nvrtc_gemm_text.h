// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The CUDA C++ that nvrtc_gemm_source() joins: prelude, the constants of the config, grid, and one
// of the two matmuls. No header is included: where NVRTC is, the toolkit's headers need not be.
namespace triode::cuda {

// Parameter and element types. The 16-bit types are bits; conversion is by the instruction.
extern const std::string_view kNvrtcGemmPrelude;

// Which piece of c a block makes, and how an element of it is written.
extern const std::string_view kNvrtcGemmGrid;

// f32 and f64: tiles of a and b in shared memory, k first; a thread makes kTileM x kTileN sums.
extern const std::string_view kPlainGemm;

// f16 and bf16 on tensor cores (sm_80): a ring of kStages tiles in shared memory, filled by
// asynchronous copies; a warp makes kTileM x kTileN sums from ldmatrix and mma.
extern const std::string_view kTensorCoreGemm;

}  // namespace triode::cuda
