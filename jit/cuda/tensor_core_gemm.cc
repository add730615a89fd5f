// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/nvrtc_gemm_text.h"

namespace triode::cuda {

const std::string_view kTensorCoreGemm = R"cuda(
// A tile lies in shared memory as its matrix does: rows x columns, padded so that the eight rows of
// an ldmatrix start in different banks.
constexpr int kPadding = 8;
constexpr int kARows = kATransposed ? kBlockK : kBlockM;
constexpr int kAColumns = kATransposed ? kBlockM : kBlockK;
constexpr int kBRows = kBTransposed ? kBlockN : kBlockK;
constexpr int kBColumns = kBTransposed ? kBlockK : kBlockN;
constexpr int kAPitch = kAColumns + kPadding;
constexpr int kBPitch = kBColumns + kPadding;
constexpr int kATileElements = kARows * kAPitch;
constexpr int kStageElements = kATileElements + kBRows * kBPitch;

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Eight elements, of which the first `valid` exist; the rest become zeros.
__device__ inline void load_eight(Element* to, const Element* from, int valid) {
  if (kCopiesVectors) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(2 * valid)
                 : "memory");
    return;
  }
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned low = 2 * i < valid ? from[2 * i].bits : 0;
    const unsigned high = 2 * i + 1 < valid ? from[2 * i + 1].bits : 0;
    words[i] = low | high << 16;
  }
  *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
}

// The tile of a stored rows x columns matrix that begins at (row, column).
template <int kRows, int kColumns>
__device__ inline void load_tile(Element* tile, const Element* matrix, long long ld, long long row,
                                 long long rows, long long column, long long columns) {
  constexpr int kEights = kColumns / 8;
  for (int e = threadIdx.x; e < kRows * kEights; e += kThreads) {
    const int r = e / kEights;
    const int c = e % kEights * 8;
    const long long left = row + r < rows ? columns - (column + c) : 0;
    const int valid = left < 0 ? 0 : left < 8 ? static_cast<int>(left) : 8;
    // Where nothing is valid the address may be out of the matrix, so another is given.
    const Element* from = valid > 0 ? matrix + (row + r) * ld + column + c : matrix;
    load_eight(tile + r * (kColumns + kPadding) + c, from, valid);
  }
}

__device__ inline void load_stage(Element* stage, const Arguments& args, const Element* a,
                                  const Element* b, const Piece& piece, long long k0) {
  if (kATransposed) {
    load_tile<kARows, kAColumns>(stage, a, args.lda, k0, args.k, piece.row, args.m);
  } else {
    load_tile<kARows, kAColumns>(stage, a, args.lda, piece.row, args.m, k0, args.k);
  }
  Element* b_tile = stage + kATileElements;
  if (kBTransposed) {
    load_tile<kBRows, kBColumns>(b_tile, b, args.ldb, piece.column, args.n, k0, args.k);
  } else {
    load_tile<kBRows, kBColumns>(b_tile, b, args.ldb, k0, args.k, piece.column, args.n);
  }
}

__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until all copies but those of the newest kStages - 2 stages have landed.
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
}

// Four 8 x 8 matrices; lane 8 j + r gives the address of row r of matrix j.
template <bool kTransposes>
__device__ inline void load_matrices(unsigned (&values)[4], const Element* row) {
  if (kTransposes) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
                 : "r"(shared_address(row))
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
                 : "r"(shared_address(row))
                 : "memory");
  }
}

#define TRIODE_MMA(TYPE)                                                                        \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE                           \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"           \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                 \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
__device__ inline void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1,
                                Half) {
  TRIODE_MMA("f16");
}
__device__ inline void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1,
                                BFloat) {
  TRIODE_MMA("bf16");
}

// Adds the product of one stage to the sums of the warp, whose piece begins at (row, column) of the
// block's.
__device__ inline void multiply_stage(float (&sums)[kTileM / 16][kTileN / 8][4],
                                      const Element* stage, int row, int column) {
  const int r = threadIdx.x % 8;
  const int first = threadIdx.x / 8 % 2 * 8;    // the matrices of a lane's group: 0 1 0 1
  const int second = threadIdx.x / 16 % 2 * 8;  // 0 0 1 1
  const Element* b_tile = stage + kATileElements;
#pragma unroll
  for (int k = 0; k < kBlockK; k += 16) {
    unsigned a[kTileM / 16][4];
    unsigned b[kTileN / 16][4];
#pragma unroll
    for (int i = 0; i < kTileM / 16; ++i) {
      const int m = row + 16 * i;
      load_matrices<kATransposed>(a[i], kATransposed
                                            ? stage + (k + second + r) * kAPitch + m + first
                                            : stage + (m + first + r) * kAPitch + k + second);
    }
#pragma unroll
    for (int j = 0; j < kTileN / 16; ++j) {
      const int n = column + 16 * j;
      load_matrices<!kBTransposed>(b[j], kBTransposed
                                             ? b_tile + (n + second + r) * kBPitch + k + first
                                             : b_tile + (k + first + r) * kBPitch + n + second);
    }
#pragma unroll
    for (int i = 0; i < kTileM / 16; ++i) {
#pragma unroll
      for (int j = 0; j < kTileN / 8; ++j) {
        multiply(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1], Element());
      }
    }
  }
}

extern __shared__ uint4 shared_bytes[];

extern "C" __global__ void __launch_bounds__(kThreads) triode_gemm(const Arguments args) {
  Element* stages = reinterpret_cast<Element*>(shared_bytes);
  const Element* a = static_cast<const Element*>(args.a) + blockIdx.z * args.a_batch_stride;
  const Element* b = static_cast<const Element*>(args.b) + blockIdx.z * args.b_batch_stride;
  CElement* c = static_cast<CElement*>(args.c) + blockIdx.z * args.c_batch_stride;
  const Piece piece = piece_of_block(args);
  const int warp = threadIdx.x / 32;
  const int row = warp / (kBlockN / kTileN) * kTileM;
  const int column = warp % (kBlockN / kTileN) * kTileN;
  const long long steps = args.alpha == 0 ? 0 : (args.k + kBlockK - 1) / kBlockK;

  float sums[kTileM / 16][kTileN / 8][4] = {};
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < steps) load_stage(stages + s * kStageElements, args, a, b, piece, s * kBlockK);
    commit_copies();
  }
  for (long long step = 0; step < steps; ++step) {
    wait_for_copies();
    // After this all warps see the stage, and none reads the one before it, which is filled next.
    __syncthreads();
    const long long ahead = step + kStages - 1;
    if (ahead < steps) {
      load_stage(stages + ahead % kStages * kStageElements, args, a, b, piece, ahead * kBlockK);
    }
    commit_copies();
    multiply_stage(sums, stages + step % kStages * kStageElements, row, column);
  }

  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kTileM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < kTileN / 8; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        write_sum(args, c, piece.row + row + 16 * i + lane / 4 + e / 2 * 8,
                  piece.column + column + 8 * j + lane % 4 * 2 + e % 2, sums[i][j][e]);
      }
    }
  }
}
)cuda";

}  // namespace triode::cuda
