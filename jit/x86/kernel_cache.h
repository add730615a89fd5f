// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/status.h"
#include "jit/x86/kernel.h"
#include "jit/x86/kernel_spec.h"

namespace triode::x86 {

// Kernels by spec, shared by all who need the same code for as long as anyone holds them.
// Thread-safe. Two threads that ask for the same new kernel may both compile it; one result is
// kept.
class KernelCache {
 public:
  Result<std::shared_ptr<const Kernel>> get(const KernelSpec& spec);

  // Kernels compiled since the start, and the time that took, on all threads together.
  struct Counters {
    int64_t compiled = 0;
    int64_t shared = 0;  // requests answered by a kernel that was there
    int64_t compile_ns = 0;
  };
  Counters counters() const;

  // What each of the latest compilations took, at most kTimesKept of them, in no particular order.
  std::vector<int64_t> compile_times_ns() const;

 private:
  static constexpr size_t kTimesKept = 4096;
  static constexpr size_t kSweepSlack = 256;  // slots that may be empty before they are swept

  void forget_released();
  void note_compilation(int64_t took_ns);

  mutable std::mutex mutex_;
  std::unordered_map<KernelSpec, std::weak_ptr<const Kernel>, KernelSpecHash> kernels_;
  size_t size_after_sweep_ = 0;
  Counters counters_;
  std::vector<int64_t> compile_times_ns_;
};

}  // namespace triode::x86
