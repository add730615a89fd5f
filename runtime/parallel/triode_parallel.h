// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface of libtriode_parallel.so, which libtriode loads by name when the first threaded
// plan is built: the parallel loop of runtime/device/parallel_for.h, on oneTBB's worker threads. C,
// so that either side can be of another build.

#ifdef __cplusplus
extern "C" {
#endif

#define TRIODE_PARALLEL_VERSION 1

// TRIODE_PARALLEL_VERSION of the library. Another number: do not call it.
int triode_parallel_version(void);

// Calls body(context, part) once for each part in [0, parts) on up to `parts` threads, the caller
// among them, and returns when all have ended. May be called from any thread; while one loop of as
// many parts is under way another runs on its caller alone. Never fails: without worker threads,
// too, the caller does it all. Not in a child forked after the first call.
void triode_parallel_run(int parts, void (*body)(void* context, int part), void* context);

#ifdef __cplusplus
}
#endif
