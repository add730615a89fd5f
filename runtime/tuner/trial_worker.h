// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/status.h"
#include "runtime/host/file_descriptor.h"
#include "runtime/tuner/cpu_trial.h"
#include "runtime/tuner/trial_session.h"
#include "runtime/tuner/worker_messages.h"

namespace triode::tuner {

struct TrialWorkerOptions {
  MakeDevice make_device;  // tests give one that misbehaves
  // Most bytes of private memory; beyond, allocations fail.
  uint64_t memory_bytes = uint64_t{4} << 30;
  uint64_t seed = 1;  // of the operands
  int niceness = 10;  // so that trials yield to programs
  // Begins a call on a GPU. Empty: such calls are refused.
  std::function<Result<std::unique_ptr<TrialSession>>(const BeginRequest&)> begin_on_gpu;
};

// What a trial worker does: answers BeginRequest and TrialRequest over the socket until the other
// end is closed, and returns the exit code. In a process of its own, since what it runs may do
// anything. Takes away the process's core dumps, limits its memory, and ends it with its parent.
//
// The vendor's library is the very file that the host uses: its build id is compared. Its threads
// are limited by the environment that the process was started with, and must be the call's.
int run_trial_worker(FileDescriptor socket, const TrialWorkerOptions& options);

}  // namespace triode::tuner
