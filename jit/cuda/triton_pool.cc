// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_pool.h"

#include <utility>

#include "jit/cuda/triton_answer.h"
#include "jit/cuda/triton_request.h"

namespace triode::cuda {

TritonPool::TritonPool(TritonPoolOptions options) : options_(std::move(options)) {}

Result<std::unique_ptr<TritonWorker>> TritonPool::take_worker() {
  {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return in_use_ < options_.workers; });
    ++in_use_;
    if (!idle_.empty()) {
      std::unique_ptr<TritonWorker> worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
  }
  auto started = TritonWorker::start(options_.tools);
  if (!started.ok()) give_back(nullptr);
  return started;
}

void TritonPool::give_back(std::unique_ptr<TritonWorker> worker) {
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    if (worker != nullptr) idle_.push_back(std::move(worker));
  }
  freed_.notify_one();
}

Result<std::vector<std::string>> TritonPool::ask(const std::string& request) {
  std::unique_ptr<TritonWorker> worker = TRIODE_TRY(take_worker());
  auto frames = worker->ask(request, options_.time_limit);
  if (!frames.ok()) worker.reset();  // ended before its place is given to another
  give_back(std::move(worker));
  return frames;
}

Result<std::string> TritonPool::toolchain(const std::string& arch) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = toolchains_.find(arch); known != toolchains_.end()) return known->second;
  }
  const auto frames = TRIODE_TRY(ask(triton_toolchain_request(arch)));
  std::string toolchain = TRIODE_TRY(read_triton_toolchain(frames));
  const std::lock_guard lock(mutex_);
  return toolchains_.emplace(arch, std::move(toolchain)).first->second;
}

Result<TritonKernel> TritonPool::compile(const Problem& problem, const Config& config,
                                         const std::string& arch) {
  const std::string request = TRIODE_TRY(triton_request(problem, config, arch));
  std::vector<std::string> frames = TRIODE_TRY(ask(request));
  TritonKernel kernel = TRIODE_TRY(read_triton_answer(std::move(frames)));
  // A worker that started later may have found another Triton.
  const std::lock_guard lock(mutex_);
  toolchains_.insert_or_assign(arch, kernel.toolchain);
  return kernel;
}

}  // namespace triode::cuda
