// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/status.h"

namespace triode::cuda {

// Where Triton is.
struct TritonTools {
  std::filesystem::path python;  // an interpreter that can import triton
  std::filesystem::path worker;  // jit/cuda/triton/compile_worker.py
};

// A Python process that compiles Triton kernels, and speaks the frames that compile_worker.py
// describes. Ended with this object. Not thread-safe.
class TritonWorker {
 public:
  // kUnavailable if the process cannot be started. One that starts and ends is found by ask().
  static Result<std::unique_ptr<TritonWorker>> start(const TritonTools& tools);
  ~TritonWorker();
  TritonWorker(const TritonWorker&) = delete;
  TritonWorker& operator=(const TritonWorker&) = delete;

  // The frames of the answer, as read_triton_answer() takes them.
  // kUnavailable if the worker ends, babbles, or has not answered within `limit`; it is of no use
  // after that.
  Result<std::vector<std::string>> ask(const std::string& request, std::chrono::milliseconds limit);

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  TritonWorker(pid_t process, int socket, std::filesystem::path scratch);
  Status wait_until(short events, Deadline deadline) const;
  Status send_all(const std::string& bytes, Deadline deadline) const;
  Result<std::string> receive(size_t size, Deadline deadline) const;
  Result<std::string> receive_frame(Deadline deadline) const;

  pid_t process_;
  int socket_;
  std::filesystem::path scratch_;  // Triton's own cache, which is not ours to keep
};

}  // namespace triode::cuda
