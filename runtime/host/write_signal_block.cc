// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/write_signal_block.h"

#include <pthread.h>

#include <cerrno>
#include <ctime>

namespace triode::host {
namespace {

constexpr int kSignalsOfWrites[] = {SIGPIPE, SIGXFSZ};

sigset_t pending_signals() {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  return pending;
}

}  // namespace

WriteSignalBlock::WriteSignalBlock() {
  const sigset_t pending = pending_signals();
  sigset_t blocked;
  sigemptyset(&blocked);
  sigemptyset(&ours_);
  for (const int signal : kSignalsOfWrites) {
    sigaddset(&blocked, signal);
    if (sigismember(&pending, signal) != 1) sigaddset(&ours_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

WriteSignalBlock::~WriteSignalBlock() {
  const int error = errno;
  const timespec at_once{};
  // Takes them off until there are none.
  while (sigtimedwait(&ours_, nullptr, &at_once) > 0 || errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

}  // namespace triode::host
