// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/nvrtc_gemm_text.h"

namespace triode::cuda {

const std::string_view kPlainGemm = R"cuda(
// One step of k of op(a), or of op(b) turned over: element (p, i) is outer row or column
// first + i at k0 + p. Zero outside the matrix. Neighbouring threads read neighbouring elements.
template <int kOuter, bool kOuterIsContiguous>
__device__ inline void load_tile(Element (*tile)[kOuter + 1], const Element* matrix, long long ld,
                                 long long first, long long outer, long long k0, long long k) {
  for (int e = threadIdx.x; e < kBlockK * kOuter; e += kThreads) {
    const int p = kOuterIsContiguous ? e / kOuter : e % kBlockK;
    const int i = kOuterIsContiguous ? e % kOuter : e / kBlockK;
    const bool is_inside = first + i < outer && k0 + p < k;
    const long long at = kOuterIsContiguous ? (k0 + p) * ld + first + i : (first + i) * ld + k0 + p;
    tile[p][i] = is_inside ? matrix[at] : Element(0);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads) triode_gemm(const Arguments args) {
  __shared__ Element a_tile[kBlockK][kBlockM + 1];
  __shared__ Element b_tile[kBlockK][kBlockN + 1];
  constexpr int kThreadColumns = kBlockN / kTileN;
  const Element* a = static_cast<const Element*>(args.a) + blockIdx.z * args.a_batch_stride;
  const Element* b = static_cast<const Element*>(args.b) + blockIdx.z * args.b_batch_stride;
  CElement* c = static_cast<CElement*>(args.c) + blockIdx.z * args.c_batch_stride;
  const Piece piece = piece_of_block(args);
  const int row = threadIdx.x / kThreadColumns * kTileM;
  const int column = threadIdx.x % kThreadColumns;  // and every kThreadColumns after it
  const long long k = args.alpha == 0 ? 0 : args.k;

  Element sums[kTileM][kTileN] = {};
  for (long long k0 = 0; k0 < k; k0 += kBlockK) {
    load_tile<kBlockM, kATransposed>(a_tile, a, args.lda, piece.row, args.m, k0, k);
    load_tile<kBlockN, !kBTransposed>(b_tile, b, args.ldb, piece.column, args.n, k0, k);
    __syncthreads();
#pragma unroll 4
    for (int p = 0; p < kBlockK; ++p) {
      Element a_values[kTileM];
      Element b_values[kTileN];
      for (int i = 0; i < kTileM; ++i) a_values[i] = a_tile[p][row + i];
      for (int j = 0; j < kTileN; ++j) b_values[j] = b_tile[p][column + j * kThreadColumns];
      for (int i = 0; i < kTileM; ++i) {
        for (int j = 0; j < kTileN; ++j) sums[i][j] += a_values[i] * b_values[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kTileM; ++i) {
    for (int j = 0; j < kTileN; ++j) {
      write_sum(args, c, piece.row + row + i, piece.column + column + j * kThreadColumns,
                sums[i][j]);
    }
  }
}
)cuda";

}  // namespace triode::cuda
