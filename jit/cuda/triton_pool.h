// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "core/status.h"
#include "jit/cuda/triton_kernel.h"
#include "jit/cuda/triton_worker.h"

namespace triode::cuda {

struct TritonPoolOptions {
  TritonTools tools;
  int workers = 2;  // most processes at once; each holds some 300 MB
  // For one compile, the start of a worker included: a kernel takes about a second, a first one
  // several. Beyond it the worker is ended and the config is a failure.
  std::chrono::milliseconds time_limit = std::chrono::seconds(60);
};

// Compiles Triton kernels in Python processes, so that no Python is in this one. Workers are
// started when first needed and kept. Thread-safe: as many compiles run at once as there are
// workers, further callers wait. A worker that crashes or hangs fails the compile it had, and no
// other: the next one starts a new worker.
class TritonPool {
 public:
  explicit TritonPool(TritonPoolOptions options);

  // Triton, its assembler for `arch`, and our kernel sources: what decides the code besides
  // triton_request(), and so part of the key of what is compiled. Asks a worker the first time,
  // which takes about a second; then at once what the latest answer said. kUnavailable as for
  // compile().
  Result<std::string> toolchain(const std::string& arch);

  // kInvalidArgument, with the compiler's words, if Triton refuses; kUnavailable if the worker
  // ended or took too long; kUnsupported for a problem that our kernel does not do.
  Result<TritonKernel> compile(const Problem& problem, const Config& config,
                               const std::string& arch);

 private:
  Result<std::vector<std::string>> ask(const std::string& request);
  Result<std::unique_ptr<TritonWorker>> take_worker();
  // Null gives back the place of a worker that was lost.
  void give_back(std::unique_ptr<TritonWorker> worker);

  const TritonPoolOptions options_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<TritonWorker>> idle_;  // guarded by mutex_
  int in_use_ = 0;                                   // guarded by mutex_
  std::map<std::string, std::string> toolchains_;    // by arch; guarded by mutex_
};

}  // namespace triode::cuda
