// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/sample_calls.h"

#include "runtime/host/raw_call.h"

namespace triode::tuner {

VendorCall sample_call(int64_t size) {
  constexpr int32_t kRowMajor = 101, kNoTranspose = 111;
  VendorCall call;
  call.key.m = call.key.n = call.key.k = size;
  call.key.lda = call.key.ldb = call.key.ldc = size;
  call.key.traits = host::call_traits::of_spelling({kRowMajor, kNoTranspose, kNoTranspose}) |
                    host::call_traits::of_scalars(1.0, 0.0) |
                    host::call_traits::of_site(host::Symbol::k_cblas_sgemm, 0) |
                    uint64_t{1} << host::call_traits::kThreads;
  call.symbol = "cblas_sgemm";
  call.library = "/nowhere/libblas.so";
  call.identity = "libblas.so 12ab";
  return call;
}

Target sample_target() {
  Target target;
  target.device = "sample";
  target.isa = "none";
  target.toolchain = "test 1";
  target.cores = 4;
  return target;
}

}  // namespace triode::tuner
