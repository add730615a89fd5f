// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/pipe_signal_block.h"

#include <pthread.h>

#include <cerrno>
#include <ctime>

namespace triode::host {
namespace {

sigset_t pipe_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool is_pending() {
  sigset_t pending;
  sigemptyset(&pending);
  return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

PipeSignalBlock::PipeSignalBlock() : was_pending_(is_pending()) {
  const sigset_t set = pipe_signal();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

PipeSignalBlock::~PipeSignalBlock() {
  const int error = errno;
  const sigset_t set = pipe_signal();
  const timespec at_once{};
  while (!was_pending_ && is_pending() && sigtimedwait(&set, nullptr, &at_once) < 0 &&
         errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

}  // namespace triode::host
