// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/quiet_thread.h"

#include <signal.h>

#include <cstddef>

namespace triode::host {
namespace {

constexpr size_t kStackBytes = 1 << 20;

}  // namespace

bool start_quiet_thread(pthread_t& thread, void* (*body)(void*), void* context) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&thread, &attributes, body, context) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace triode::host
