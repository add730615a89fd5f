// SPDX-License-Identifier: Apache-2.0
// For a library that has a matmul of its own, and would have Triode answer where that is faster:
// PyTorch's dispatcher does (libtriode_torch.so).
//
//   triode_turn turn = TRIODE_TURN_INIT;
//   turn.function = TRIODE_FORTRAN_GEMM, turn.library = &a_function_of_that_library;
//   turn.frame = __builtin_frame_address(0);
//   triode_turn_begin(&call, &turn);
//   if (turn.is_plans && (call.c = make_room(), triode_turn_run(&turn, &call) == TRIODE_OK))
//   return; own_matmul(); triode_turn_end(&turn);
//
// Any thread may do this at any time; a turn is used by the thread that began it.
#pragma once

#include <triode/triode.h>

#ifdef __cplusplus
extern "C" {
#endif

// The function of a BLAS that the library's own matmul comes down to, in the type of the call: what
// a plan has to beat in the tuner, before the program's own times show whether it does there.
enum {
  TRIODE_FORTRAN_GEMM = 1,      // sgemm_, dgemm_: column-major, no batch
  TRIODE_CBLAS_GEMM_BATCH = 2,  // cblas_sgemm_batch, cblas_dgemm_batch: one group
};

typedef struct triode_turn {
  size_t size;
  int32_t function;
  int32_t is_plans;     // set by triode_turn_begin(): 1: triode_turn_run() is next
  const void* library;  // an address in the library that calls the function
  const void* frame;    // of the function that makes the calls of its turn
  uint64_t state[4];    // Triode's
} triode_turn;

#define TRIODE_TURN_INIT                                       \
  {                                                            \
    sizeof(triode_turn), TRIODE_FORTRAN_GEMM, 0, NULL, NULL, { \
      0, 0, 0, 0                                               \
    }                                                          \
  }

// Whose turn it is: the plan's, if there is one that was measured faster, or the library's own
// matmul's: until there is, now and then after that, so that a plan that has lost its lead is
// withdrawn, and always for a call that Triode does not understand. A call->c that is NULL, because
// there is no room for it yet, counts as lying at a cache line. Some fifty nanoseconds; nothing is
// locked or allocated. Any error makes it the own matmul's turn.
TRIODE_API triode_status triode_turn_begin(const triode_gemm_call* call, triode_turn* turn);

// Answers a call whose turn is the plan's; a and b are as they were. TRIODE_UNSUPPORTED, with
// nothing touched, if c overlaps them or lies worse, or the plan has gone meanwhile: it is the own
// matmul's turn then.
TRIODE_API triode_status triode_turn_run(triode_turn* turn, const triode_gemm_call* call);

// After the own matmul, also one that failed. Does nothing after a plan has answered.
TRIODE_API triode_status triode_turn_end(triode_turn* turn);

#ifdef __cplusplus
}
#endif
