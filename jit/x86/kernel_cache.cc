// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/kernel_cache.h"

#include <chrono>

namespace triode::x86 {

Result<std::shared_ptr<const Kernel>> KernelCache::get(const KernelSpec& spec) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(spec);
    if (found != kernels_.end()) {
      if (auto kernel = found->second.lock()) {
        ++counters_.shared;
        return kernel;
      }
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const Kernel> compiled = TRIODE_TRY(Kernel::compile(spec));
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
  const std::lock_guard lock(mutex_);
  note_compilation(took.count());
  auto& slot = kernels_[spec];
  if (auto other = slot.lock()) return other;
  slot = compiled;
  forget_released();
  return compiled;
}

void KernelCache::note_compilation(int64_t took_ns) {
  const auto nth = static_cast<size_t>(counters_.compiled++);
  counters_.compile_ns += took_ns;
  if (nth < kTimesKept) {
    compile_times_ns_.push_back(took_ns);
  } else {
    compile_times_ns_[nth % kTimesKept] = took_ns;
  }
}

std::vector<int64_t> KernelCache::compile_times_ns() const {
  const std::lock_guard lock(mutex_);
  return compile_times_ns_;
}

// Slots of kernels nobody holds any more would add up over a long search.
void KernelCache::forget_released() {
  if (kernels_.size() < 2 * size_after_sweep_ + kSweepSlack) return;
  std::erase_if(kernels_, [](const auto& slot) { return slot.second.expired(); });
  size_after_sweep_ = kernels_.size();
}

KernelCache::Counters KernelCache::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

}  // namespace triode::x86
