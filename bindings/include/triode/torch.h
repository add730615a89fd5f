// SPDX-License-Identifier: Apache-2.0
// Matmuls of PyTorch through Triode, for a program in C or C++ that links libtriode_torch.so or
// loads it (Python has triode.intercept()).
//
//   if (triode_torch_intercept() != TRIODE_OK) puts(triode_torch_last_error());
//   ... at::mm, torch::nn::Linear, ...
//   triode_torch_release();
//
// mm, addmm, bmm, baddbmm and _addmm_activation of float32 and float64 tensors on the CPU are
// offered to Triode, which answers those that it has a faster kernel for; torch's own kernels
// answer the rest. Triode itself starts as triode_init() says, or at the first matmul from the
// TRIODE_* variables. The library fits the torch that it was built with and no other.
#pragma once

#include <triode/triode.h>

#ifdef __cplusplus
extern "C" {
#endif

// Puts Triode in front of torch's kernels. Again: nothing happens. Torch's dispatcher must not be
// in use by another thread meanwhile. TRIODE_INTERNAL if torch refuses, and nothing has changed.
TRIODE_API triode_status triode_torch_intercept(void);

// Puts torch's own kernels back. Nothing happens if they are there. As above, no other thread may
// be inside torch.
TRIODE_API triode_status triode_torch_release(void);

// Calls so far that were torch's own at once: other types, devices, strides, nothing to multiply,
// deterministic algorithms asked for. (triode_stats() counts those that were offered.)
TRIODE_API uint64_t triode_torch_passed(void);

// What was wrong with the latest call of the above that failed; empty if none did.
TRIODE_API const char* triode_torch_last_error(void);

#ifdef __cplusplus
}
#endif
