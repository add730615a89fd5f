// SPDX-License-Identifier: Apache-2.0
// Triode's C interface: matmuls through Triode, without a preloaded library.
//
//   triode_options options = TRIODE_OPTIONS_INIT;
//   if (triode_init(&options) != TRIODE_OK) puts(triode_last_error());
//   triode_gemm_call call = TRIODE_GEMM_CALL_INIT;
//   call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 64;
//   call.a = a, call.b = b, call.c = c;
//   if (triode_gemm(&call) != TRIODE_OK) puts(triode_last_error());
//   triode_shutdown();
//
// Any thread may call any function at any time. No function throws or ends the program.
// Stable: functions and constants are added and never changed, structs grow at their end only.
// Plain C11; C++ has runtime.h beside this.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRIODE_API __attribute__((visibility("default")))

// Of this header; triode_version() is the library's.
#define TRIODE_VERSION_MAJOR 0
#define TRIODE_VERSION_MINOR 1
#define TRIODE_VERSION_PATCH 0

// How a call ended. After any but TRIODE_OK, triode_last_error() says more, and outputs are as they
// were.
typedef int32_t triode_status;
enum {
  TRIODE_OK = 0,
  TRIODE_INVALID_ARGUMENT = 1,    // the text says which
  TRIODE_NOT_FOUND = 2,           // a file
  TRIODE_UNSUPPORTED = 3,         // valid, but not for this version or machine
  TRIODE_RESOURCE_EXHAUSTED = 4,  // memory
  TRIODE_CORRUPT = 5,             // a file of plans does not make sense
  TRIODE_UNAVAILABLE = 6,         // a file cannot be read now
  TRIODE_INTERNAL = 7,            // a fault of Triode's
  TRIODE_ALREADY_STARTED = 8      // triode_init() came too late
};

// Structs begin with their size, by which later versions tell what the program knows: set it to
// sizeof, or begin with the initialiser. A larger one is taken if what is beyond is zero.

// What Triode does with matmuls.
enum {
  TRIODE_MODE_DEFAULT = 0,  // tune
  TRIODE_MODE_OFF = 1,      // nothing: every call goes to the BLAS that the program has
  TRIODE_MODE_OBSERVE = 2,  // counts and times them
  TRIODE_MODE_TUNE = 3,     // also has faster kernels searched for in the background
  TRIODE_MODE_FROZEN = 4    // runs the plans of a file and no others, on no thread but plans' own
};

// Which kernels answer calls that nothing was measured for. For tests: such a kernel is right, but
// nobody has seen that it is fast.
enum { TRIODE_FORCE_OFF = 0, TRIODE_FORCE_FIRST = 1, TRIODE_FORCE_RANDOM = 2 };

// Zeros are the defaults. Relative paths count from the folder of the moment.
typedef struct triode_options {
  size_t size;
  int32_t mode;
  int32_t threads;      // most of a plan, up to 1024, if the BLAS would use as many; 0: no limit
  int32_t report;       // not 0: what happened is reported at shutdown, or when the program ends
  int32_t report_json;  // not 0: the report as JSON; implies report
  const char* report_file;  // where to, implies report; NULL: stderr
  const char* cache;        // folder of plans kept between runs; NULL: in the user's cache folder
  const char* plans;        // file of plans, for mode frozen
  int32_t force_plans;
  int32_t in_process;  // 1: the tuner is on threads of this program; 0: in a process of its own
} triode_options;

#define TRIODE_OPTIONS_INIT \
  { sizeof(triode_options), TRIODE_MODE_DEFAULT, 0, 0, 0, NULL, NULL, NULL, TRIODE_FORCE_OFF, 0 }

// Starts Triode in this process, with the options alone; NULL: with what the TRIODE_* variables say
// (`triode run --help`). Without it, the first matmul does the latter. Once in a process:
// TRIODE_ALREADY_STARTED, and nothing changes, after another triode_init(), a matmul or a
// triode_shutdown(). After any other error nothing has started.
TRIODE_API triode_status triode_init(const triode_options* options);

// Ends the background thread, and the tuner's if they are in this program, giving up the trial that
// is under way, and writes the report if one was asked for. Matmuls still work: they go to the BLAS
// untouched, or to kernels of ours where there is none. Again: nothing happens. A program need not
// call it.
TRIODE_API triode_status triode_shutdown(void);

enum { TRIODE_F32 = 1, TRIODE_F64 = 2 };
// The values of cblas.h.
enum { TRIODE_ROW_MAJOR = 101, TRIODE_COLUMN_MAJOR = 102 };
enum { TRIODE_NO_TRANSPOSE = 111, TRIODE_TRANSPOSE = 112, TRIODE_CONJUGATE_TRANSPOSE = 113 };

// c = alpha op(a) op(b) + beta c, as the BLAS has it: op(a) is m x k, op(b) is k x n, c is m x n,
// and leading dimensions count elements. With a batch the same for each of its matrices.
typedef struct triode_gemm_call {
  size_t size;
  int32_t dtype;  // of all three
  int32_t layout;
  int32_t transpose_a;
  int32_t transpose_b;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t lda;
  int64_t ldb;
  int64_t ldc;
  double alpha;  // rounded to the type; a and b are not read if it is 0
  double beta;   // rounded to the type; c is not read if it is 0
  const void* a;
  const void* b;
  void* c;
  int64_t batch;     // at least 1
  int64_t a_stride;  // elements from one matrix of the batch to the next; 0: all the same
  int64_t b_stride;
  int64_t c_stride;  // not 0
} triode_gemm_call;

#define TRIODE_GEMM_CALL_INIT                                                         \
  {                                                                                   \
    sizeof(triode_gemm_call), TRIODE_F32, TRIODE_ROW_MAJOR, TRIODE_NO_TRANSPOSE,      \
        TRIODE_NO_TRANSPOSE, 0, 0, 0, 0, 0, 0, 1.0, 0.0, NULL, NULL, NULL, 1, 0, 0, 0 \
  }

// The same as a call of cblas_sgemm, cblas_dgemm or, with a batch, cblas_?gemm_batch_strided that
// Triode intercepts: the BLAS of the calling library or program answers until a faster kernel is
// known; a kernel of ours, on one thread, if no BLAS in the process defines the function. For a
// size that takes more than 32 bits that is the function with the suffix 64_. a and b must not
// overlap c.
TRIODE_API triode_status triode_gemm(const triode_gemm_call* call);

// A matmul of one shape that is made again and again: triode_gemm() without its checks and lookups.
// Any number of threads may run one plan at once.
typedef struct triode_plan triode_plan;

// The shape's pointers, alpha and beta are like those of the calls to come; pointers may be NULL.
// Others are taken as well, at the price of a lookup when they change. Compiles, where calls begin
// with a kernel.
TRIODE_API triode_status triode_plan_create(const triode_gemm_call* shape, triode_plan** plan);
TRIODE_API triode_status triode_plan_run(triode_plan* plan, double alpha, const void* a,
                                         const void* b, double beta, void* c);
// NULL: nothing. No thread may be running it.
TRIODE_API triode_status triode_plan_destroy(triode_plan* plan);

enum { TRIODE_BY_VENDOR = 1, TRIODE_BY_TRIODE = 2 };

// What became of a call that was looked into.
enum {
  TRIODE_PLAN_UNDECIDED = 0,     // not looked into yet
  TRIODE_PLAN_FOUND = 1,         // a plan that beat the BLAS
  TRIODE_PLAN_VENDOR_STAYS = 2,  // nothing was found that does
  TRIODE_PLAN_WITHDRAWN = 3      // a plan turned out slower in the program than the BLAS
};

// What is known of one exact call: sizes, layout, scalars (one, zero or other), alignment, threads.
typedef struct triode_plan_info {
  size_t size;
  int32_t answered_by;  // now
  int32_t state;
  uint64_t vendor_calls;  // so far, answered by the BLAS
  uint64_t triode_calls;  // and by Triode
  double vendor_ns;       // mean time of those that were timed; 0: none
  double triode_ns;
  double speedup;    // over the BLAS, when the plan was found; 0: not measured
  char config[256];  // of that plan, cut if need be; empty: none was measured
  char vendor[256];  // library, build and function that it was measured against
} triode_plan_info;

// Set info->size first. Without pointers in the shape, of the more frequent alignment. Starts
// nothing.
TRIODE_API triode_status triode_plan_query(const triode_gemm_call* shape, triode_plan_info* info);

// Of all matmuls that went through Triode in this process, intercepted ones included.
typedef struct triode_statistics {
  size_t size;
  int32_t mode;             // TRIODE_MODE_DEFAULT: not started
  int32_t planned;          // shapes with a plan that beat the BLAS
  uint64_t shapes;          // different calls
  uint64_t calls;           // with something to multiply
  uint64_t triode_calls;    // of these, answered by Triode
  uint64_t empty_calls;     // with nothing to multiply
  uint64_t unlisted_calls;  // of `calls`, beyond the different ones that can be told apart
  double total_ns;          // time in all of them, from those that were timed
  double saved_ns;          // what the BLAS would have taken longer; below zero: less long
} triode_statistics;

// Set statistics->size first. Starts nothing.
TRIODE_API triode_status triode_stats(triode_statistics* statistics);

// What was wrong with the latest call of this thread that failed; empty if none did. Valid until
// the next one fails, or the thread ends.
TRIODE_API const char* triode_last_error(void);

// "0.1.0"
TRIODE_API const char* triode_version(void);

#ifdef __cplusplus
}
#endif
