// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace triode::host {

// Starts a thread that no signal is delivered to, so that the program's handlers run on the
// program's threads. False if the system refuses.
bool start_quiet_thread(pthread_t& thread, void* (*body)(void*), void* context);

}  // namespace triode::host
