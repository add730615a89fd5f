// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface of libtriode_tuner.so, which libtriode loads by name for a program that wants its
// tuner on threads of its own: the service of `triode-tuner serve`, without the process. C, so that
// either side can be of another build; nothing throws.

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRIODE_TUNER_LIBRARY_VERSION 1

// TRIODE_TUNER_LIBRARY_VERSION of the library. Another number: do not call it.
int triode_tuner_library_version(void);

// A tuner on threads of this process.
typedef struct triode_own_tuner triode_own_tuner;

// Starts the tuner of this cache folder, which then listens at its meeting place like any other;
// `program` is the file of triode-tuner, which runs the trials. NULL if it cannot start, with the
// reason in `why`; or if the cache has a tuner already, which is no failure: `why` is empty then.
// Its threads have the caller's signal mask and table of descriptors. Opens no database: trials are
// left in the cache's spool.
triode_own_tuner* triode_own_tuner_start(const char* cache, const char* program, char* why,
                                         size_t why_size);

// Whether it serves nobody any more: it was told to stop, or nobody had wanted it for long.
int triode_own_tuner_has_ended(const triode_own_tuner* tuner);

// Gives up the trial that is under way, keeps what is known, and returns when its threads have
// ended. The tuner is gone then.
void triode_own_tuner_stop(triode_own_tuner* tuner);

#ifdef __cplusplus
}
#endif
