// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/triton_compile_runs.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "cache/cache.h"
#include "cache/sample_key.h"
#include "core/random.h"
#include "core/target.h"
#include "jit/cuda/triton_pool.h"
#include "jit/cuda/triton_space.h"

namespace triode::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// On as many threads as there are workers. The results are in the order of the configs.
std::vector<Result<cuda::TritonKernel>> compile_all(cuda::TritonPool& pool, int threads,
                                                    const TritonWorkload& workload) {
  std::vector<Result<cuda::TritonKernel>> kernels(workload.configs.size(),
                                                  unavailable("not compiled"));
  std::atomic<size_t> next = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      for (size_t at = next++; at < kernels.size(); at = next++) {
        kernels[at] = pool.compile(workload.problem, workload.configs[at], workload.arch);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  return kernels;
}

// Starts all workers: as many compiles of a small kernel at once.
Status start_workers(cuda::TritonPool& pool, int workers, const TritonWorkload& workload) {
  TritonWorkload small = workload;
  small.problem = Problem::mm(DType::kF16, 48, 48, 48);
  const Space space = TRIODE_TRY(cuda::triton_space(small.problem, {}));
  small.configs.assign(static_cast<size_t>(workers), space.enumerate(1).front());
  for (const auto& kernel : compile_all(pool, workers, small)) {
    if (!kernel.ok()) return kernel.status();
  }
  return {};
}

Target target_of(const TritonWorkload& workload, const CompilePass& pass) {
  Target target;
  target.device = "no device";
  target.isa = workload.arch;
  target.toolchain = pass.toolchain;
  return target;
}

Result<cuda::TritonKernel> load(const Cache& cache, const SampleKey& key) {
  const auto digest = TRIODE_TRY(cache.artifacts().find(key));
  if (!digest) return not_found("a kernel that was kept is not in the cache");
  const auto code = TRIODE_TRY(cache.artifacts().code(*digest));
  if (!code) return not_found("the code of a kernel that was kept is not in the cache");
  return cuda::deserialise_triton_kernel(*code);
}

Status keep(Cache& cache, const std::vector<SampleKey>& keys, const CompilePass& pass) {
  for (size_t i = 0; i < keys.size(); ++i) {
    const cuda::TritonFunction& function = pass.kernels[i].functions.front();
    ArtifactFacts facts;
    facts.kind = "triton";
    facts.entry = function.entry;
    facts.registers = static_cast<int32_t>(function.registers);
    facts.shared_bytes = function.shared_bytes;
    facts.threads_per_block = static_cast<int32_t>(function.threads);
    TRIODE_TRY(cache.artifacts().put(keys[i], cuda::serialise(pass.kernels[i]), facts, 0));
  }
  return cache.sync();
}

}  // namespace

Result<TritonWorkload> drawn_workload(int configs, uint64_t seed) {
  TritonWorkload workload;
  workload.problem = Problem::mm(DType::kF16, 4096, 4096, 4096);
  workload.space = TRIODE_TRY(cuda::triton_space(workload.problem, {}));
  Random random(seed);
  for (int i = 0; i < configs; ++i) {
    const std::optional<Config> config = workload.space.sample(random);
    if (!config) return internal_error("no config could be drawn from the Triton space");
    workload.configs.push_back(*config);
  }
  return workload;
}

Result<CompilePass> compile_workload(const TritonWorkload& workload, const cuda::TritonTools& tools,
                                     int workers) {
  cuda::TritonPoolOptions options;
  options.tools = tools;
  options.workers = workers;
  cuda::TritonPool pool(options);
  TRIODE_TRY(start_workers(pool, workers, workload));
  CompilePass pass;
  pass.toolchain = TRIODE_TRY(pool.toolchain(workload.arch));
  const Clock::time_point begin = Clock::now();
  std::vector<Result<cuda::TritonKernel>> kernels = compile_all(pool, workers, workload);
  pass.seconds = seconds_since(begin);
  for (auto& kernel : kernels) pass.kernels.push_back(TRIODE_TRY(std::move(kernel)));
  return pass;
}

Result<std::vector<double>> load_from_cache(const TritonWorkload& workload, const CompilePass& pass,
                                            const std::string& folder, int rounds) {
  std::vector<SampleKey> keys;
  for (const Config& config : workload.configs) {
    keys.push_back(sample_key(target_of(workload, pass), workload.problem, workload.space, config));
  }
  {
    const std::unique_ptr<Cache> kept = TRIODE_TRY(Cache::open(folder, {}));
    TRIODE_TRY(keep(*kept, keys, pass));
  }
  const std::unique_ptr<Cache> cache = TRIODE_TRY(Cache::open(folder, {}));
  std::vector<double> milliseconds;
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < keys.size(); ++i) {
      const Clock::time_point begin = Clock::now();
      const cuda::TritonKernel kernel = TRIODE_TRY(load(*cache, keys[i]));
      milliseconds.push_back(1e3 * seconds_since(begin));
      if (!(kernel == pass.kernels[i])) return internal_error("the cache gave another kernel back");
    }
  }
  return milliseconds;
}

}  // namespace triode::bench
