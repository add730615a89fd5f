// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/nvrtc_gemm_text.h"

namespace triode::cuda {

const std::string_view kNvrtcGemmPrelude = R"cuda(
struct Arguments {
  const void* a;
  const void* b;
  void* c;
  long long m, n, k, lda, ldb, ldc, a_batch_stride, b_batch_stride, c_batch_stride;
  double alpha, beta;
};

struct Half { unsigned short bits; };
struct BFloat { unsigned short bits; };

__device__ inline float load_value(float value) { return value; }
__device__ inline double load_value(double value) { return value; }
__device__ inline float load_value(Half value) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
}
__device__ inline float load_value(BFloat value) {
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16);
}
__device__ inline void store_value(float* to, float value) { *to = value; }
__device__ inline void store_value(double* to, double value) { *to = value; }
__device__ inline void store_value(Half* to, float value) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
}
__device__ inline void store_value(BFloat* to, float value) {
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
}
)cuda";

const std::string_view kNvrtcGemmGrid = R"cuda(
struct Piece {
  long long row, column;  // where it begins
};

// Blocks that run at the same time make kGroupM rows of pieces rather than one long row, so that
// they read the same columns of b.
__device__ inline Piece piece_of_block(const Arguments& args) {
  const long long rows = (args.m + kBlockM - 1) / kBlockM;
  const long long columns = (args.n + kBlockN - 1) / kBlockN;
  const long long group = blockIdx.x / (kGroupM * columns);
  const long long in_group = blockIdx.x % (kGroupM * columns);
  const long long first = group * kGroupM;
  const long long height = rows - first < kGroupM ? rows - first : kGroupM;
  return {(first + in_group % height) * kBlockM, in_group / height * kBlockN};
}

__device__ inline void write_sum(const Arguments& args, CElement* c, long long row,
                                 long long column, Scalar sum) {
  if (row >= args.m || column >= args.n) return;
  CElement* to = c + row * args.ldc + column;
  const Scalar alpha = static_cast<Scalar>(args.alpha);
  const Scalar beta = static_cast<Scalar>(args.beta);
  Scalar value = alpha == 0 ? Scalar(0) : alpha * sum;
  if (beta != 0) value += beta * load_value(*to);
  store_value(to, value);
}
)cuda";

}  // namespace triode::cuda
