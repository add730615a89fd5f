// SPDX-License-Identifier: Apache-2.0
// sample_cache FOLDER [PROBLEMS | elsewhere]: writes a cache as a tuner leaves it behind, with
// made-up times of configs of this machine; of ten problems, or of so many. With `elsewhere` also
// plans of a machine like this one with more cores, and of a GPU, and problems of other alignments.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cache/cache.h"
#include "cache/validity.h"
#include "core/random.h"
#include "runtime/device/cpu_device.h"
#include "runtime/host/kept_plans.h"
#include "runtime/host/plan_file.h"

namespace triode {
namespace {

constexpr int kTrials = 40;

// Made up, but larger problems take longer and later trials are better.
double made_up_ns(const Problem& problem, int trial, Random& random) {
  const double noise = 1 + 0.5 * static_cast<double>(random.below(1000)) / 1000;
  return problem.flops() / 40 * noise * (1 + 2.0 / (1 + trial)) + 100;
}

std::vector<int64_t> sizes(int64_t problems) {
  if (problems == 0) return {8, 17, 32, 64, 100, 128, 256, 333, 512, 1024};
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < problems; ++i) sizes.push_back(8 + i);
  return sizes;
}

StoredPlan made_up_plan(const Problem& problem, const std::string& config,
                        const std::string& vendor, double plan_ns) {
  return {.problem = problem,
          .config = config,
          .vendor = vendor,
          .code_digest = 1,
          .speedup = 1.5,
          .vendor_ns = 1.5 * plan_ns,
          .plan_ns = plan_ns};
}

Status keep_in_store(Cache& cache, const Target& target, const StoredPlan& plan) {
  const PlanKey key{.device = device_of(target),
                    .problem = plan.problem,
                    .vendor = {.build_id = "0123", .symbol = "cblas_sgemm"},
                    .threads = plan.problem.threads,
                    .validity = validity_of(target)};
  PlanRecord record;
  record.config = plan.config;
  record.code_digest = plan.code_digest;
  record.speedup = plan.speedup;
  record.speedup_spread = 0.03;
  return cache.plans().put(key, record);
}

Status write_elsewhere(const std::string& folder) {
  const auto device = TRIODE_TRY(CpuDevice::create());
  Target larger = device->target();
  larger.cores += 62;
  const Problem kept = Problem::mm(DType::kF32, 1024, 1027, 1024);
  const Space space = TRIODE_TRY(device->enumerate(kept));
  Random random(7);
  const std::string config = space.to_string(space.sample(random).value());
  const std::string plans = host::kept_plans_path(folder);
  TRIODE_TRY(merge_into_plan_file(
      plans, larger, {{made_up_plan(kept, config, "libopenblas.so.0 0123 cblas_sgemm", 9e6)}}));

  const Target gpu{.device = "A Made-up GPU",
                   .isa = "sm_80",
                   .toolchain = "triton 3",
                   .driver = "550",
                   .cores = 108,
                   .l1_bytes = 1,
                   .l2_bytes = 2};
  const Problem half = Problem::mm(DType::kF16, 64, 64, 64);
  Space tiles;
  tiles.add({"tile", {16, 32}, {}});
  ConfigTrial trial;
  trial.config = tiles.sample(random).value();
  trial.record.measurement = {.median_ns = 5000, .min_ns = 5000, .count = 9};
  trial.record.when_unix_s = 1'790'000'000;
  const auto cache = TRIODE_TRY(Cache::open(folder + "/store", {}));
  TRIODE_TRY(cache->measurements().put(gpu, half, tiles, trial.config, trial.record));
  for (const auto& [m, alignment] : {std::pair(60, 16), std::pair(61, 16), std::pair(61, 4)}) {
    Problem problem = Problem::mm(DType::kF32, m, 500, 300);
    problem.alignment_bytes = alignment;
    TRIODE_TRY(
        cache->measurements().put(device->target(), problem, tiles, trial.config, trial.record));
  }
  return merge_into_plan_file(plans, gpu,
                              {{made_up_plan(half, tiles.to_string(trial.config),
                                             "libcublas.so.13 0123 cublasGemmEx", 5000)}});
}

Status write_sample(const std::string& folder, int64_t problems) {
  const auto device = TRIODE_TRY(CpuDevice::create());
  const auto cache = TRIODE_TRY(Cache::open(folder + "/store", {}));
  Random random(7);
  std::vector<StoredPlan> plans;
  int64_t when = 1'790'000'000;
  for (const int64_t size : sizes(problems)) {
    const Problem problem = Problem::mm(DType::kF32, size, size + 3, size);
    const Space space = TRIODE_TRY(device->enumerate(problem));
    ConfigTrial best;
    for (int i = 0; i < kTrials; ++i) {
      ConfigTrial trial;
      trial.config = space.sample(random).value();
      const double time = made_up_ns(problem, i, random);
      trial.record.measurement = {.median_ns = time, .min_ns = time, .spread = 0.01, .count = 9};
      trial.record.when_unix_s = when += 3;
      if (i % 13 == 12) {
        trial.record.outcome = {OutcomeKind::kCrashed, "signal 11"};
        trial.record.measurement = {};
      } else if (best.record.measurement.count == 0 || time < best.record.measurement.median_ns) {
        best = trial;
      }
      TRIODE_TRY(
          cache->measurements().put(device->target(), problem, space, trial.config, trial.record));
    }
    plans.push_back(made_up_plan(problem, space.to_string(best.config),
                                 "libopenblas.so.0 0123 cblas_sgemm",
                                 best.record.measurement.median_ns));
    TRIODE_TRY(keep_in_store(*cache, device->target(), plans.back()));
  }
  plans.pop_back();  // the last one keeps the vendor
  std::ofstream log(folder + "/tuner.log");
  log << "2026-09-21T12:00:00Z plan problem=\"" << to_string(plans[0].problem) << "\" speedup=1.5\n"
      << "2026-09-21T13:00:00Z withdrawn problem=\"<img src=x onerror=alert(1)>\"\n";
  return merge_into_plan_file(host::kept_plans_path(folder), device->target(), plans);
}

}  // namespace
}  // namespace triode

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: sample_cache FOLDER [PROBLEMS | elsewhere]\n", stderr), 2;
  triode::Status status = triode::write_sample(argv[1], argc > 2 ? std::atoll(argv[2]) : 0);
  if (status.ok() && argc > 2 && std::string(argv[2]) == "elsewhere") {
    status = triode::write_elsewhere(argv[1]);
  }
  if (!status.ok()) std::fprintf(stderr, "sample_cache: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
