// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/batch_emitter.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <new>

namespace triode::tuner {
namespace {

Result<uint64_t> emit_digest(Device& device, const Problem& problem, const Config& config) {
  try {
    return TRIODE_TRY(device.build(problem, config))->digest();
  } catch (const std::bad_alloc&) {
    return resource_exhausted("no memory to emit a kernel");
  }
}

}  // namespace

std::vector<Result<uint64_t>> emit_digests(Device& device, const Problem& problem,
                                           std::span<const Config> configs, int threads) {
  std::vector<Result<uint64_t>> digests(configs.size(), Result<uint64_t>(uint64_t{0}));
  const auto emit = [&](size_t i) { digests[i] = emit_digest(device, problem, configs[i]); };
  if (threads <= 1) {
    for (size_t i = 0; i < configs.size(); ++i) emit(i);
    return digests;
  }
  oneapi::tbb::task_arena arena(threads);
  arena.execute([&] { oneapi::tbb::parallel_for(size_t{0}, configs.size(), emit); });
  return digests;
}

}  // namespace triode::tuner
