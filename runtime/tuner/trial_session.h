// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/tuner/worker_messages.h"

namespace triode::tuner {

// A call that was begun in a trial worker: its operands, and the kernel to beat. One thread.
class TrialSession {
 public:
  virtual ~TrialSession() = default;

  virtual double vendor_ns() const = 0;  // one call

  // Builds or loads what is to be tried, checks it, and times it.
  virtual TrialAnswer answer(const TrialRequest& request) = 0;
};

}  // namespace triode::tuner
