// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_pool.h"

#include <utility>

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

Result<TritonKernel> TritonPool::compile(const Problem& problem, const Config& config,
                                         const std::string& arch) {
  const std::string request = TRIODE_TRY(triton_request(problem, config, arch));
  std::unique_ptr<TritonWorker> worker = TRIODE_TRY(take_worker());
  auto frames = worker->ask(request, options_.time_limit);
  if (!frames.ok()) {
    worker.reset();  // ended before its place is given to another
    give_back(nullptr);
    return frames.status();
  }
  give_back(std::move(worker));
  return read_triton_answer(std::move(frames).take());
}

}  // namespace triode::cuda
