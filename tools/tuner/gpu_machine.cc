// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/gpu_machine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "cache/sample_key.h"
#include "core/key.h"
#include "runtime/device/cuda_compiler.h"
#include "runtime/device/cuda_program.h"
#include "runtime/device/cuda_target.h"
#include "runtime/tuner/gpu_trial.h"
#include "runtime/tuner/vendor_call.h"

namespace triode::tuner {
namespace {

// Codes in memory: more than the trials of a search.
constexpr size_t kMostCodes = 512;
// Compiles at once: as many as there are Python workers.
constexpr size_t kCompiles = 2;

constexpr size_t kBatch = 4;
constexpr size_t kTrials = 24;
constexpr std::chrono::seconds kSearchTime(90);  // wall time; most of it compiles

int64_t unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string name_of(const Target& target, const Problem& problem, const std::string& config) {
  return problem_key(target, problem) + config;
}

// How many configs of a problem are tried: TRIODE_GPU_TRIALS, where it says so.
size_t trials_wanted() {
  const char* const text = std::getenv("TRIODE_GPU_TRIALS");
  const int wanted = text == nullptr ? 0 : std::atoi(text);
  return wanted > 0 ? static_cast<size_t>(wanted) : kTrials;
}

}  // namespace

GpuMachine::~GpuMachine() = default;

bool GpuMachine::runs(const Target& target) {
  return is_cuda_isa(target.isa);
}

void GpuMachine::adapt(ProblemSearchOptions& options) {
  options.most_trials = trials_wanted();
  options.batch = std::min(kBatch, options.most_trials);
  options.budget = kSearchTime;
  options.race_share = 0.001;  // by the GPU's clock, which is all that a race is timed by
}

Result<CudaCompiler*> GpuMachine::compiler() {
  const std::lock_guard lock(mutex_);
  if (compiler_ == nullptr) {
    compiler_ = TRIODE_TRY(CudaCompiler::create(find_cuda_compilers()));
  }
  return compiler_.get();
}

Result<Space> GpuMachine::space_of(const Target& target, const Problem& problem) {
  return TRIODE_TRY(compiler())->space_of(target, problem);
}

std::vector<Result<uint64_t>> GpuMachine::emit(const Target& target, const Problem& problem,
                                               std::span<const Config> configs) {
  const Result<Space> space = space_of(target, problem);
  if (!space.ok()) return {};
  std::vector<Result<uint64_t>> digests(configs.size(), unavailable("not compiled"));
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < configs.size(); i = next++) {
      const auto code = compile(target, problem, *space, configs[i]);
      digests[i] = code.ok() ? Result<uint64_t>(digest_of(*code)) : code.status();
    }
  };
  std::vector<std::jthread> threads;
  for (size_t i = 1; i < std::min(kCompiles, configs.size()); ++i) threads.emplace_back(work);
  work();
  threads.clear();
  return digests;
}

Result<std::string> GpuMachine::code_of(const TunedCall& call, const std::string& config) {
  const Problem problem = TRIODE_TRY(problem_of(call.call));
  const Space space = TRIODE_TRY(space_of(call.target, problem));
  return compile(call.target, problem, space, TRIODE_TRY(space.parse(config)));
}

std::optional<std::string> GpuMachine::find(const Target& target, const Problem& problem,
                                            const Space& space, const Config& config) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = codes_.find(name_of(target, problem, space.to_string(config)));
    if (known != codes_.end()) return known->second;
  }
  const ArtifactStore* const store = trials_.artifacts();
  if (store == nullptr) return std::nullopt;
  const auto digest = store->find(sample_key(target, problem, space, config));
  if (!digest.ok() || !*digest) return std::nullopt;
  auto code = store->code(**digest);
  const bool is_there = code.ok() && *code && parse_cuda_program(**code).ok();
  return is_there ? std::move(code).take() : std::nullopt;
}

Result<std::string> GpuMachine::compile(const Target& target, const Problem& problem,
                                        const Space& space, const Config& config) {
  if (auto known = find(target, problem, space, config)) return std::move(*known);
  CudaCompiler* const compiling = TRIODE_TRY(compiler());
  const std::string code = to_bytes(TRIODE_TRY(compiling->compile(target, problem, config)));
  keep(target, problem, space, config, code);
  return code;
}

void GpuMachine::keep(const Target& target, const Problem& problem, const Space& space,
                      const Config& config, const std::string& code) {
  if (ArtifactStore* const store = trials_.artifacts()) {
    ArtifactFacts facts;
    facts.kind = "cuda-program";
    // What cannot be kept is compiled again.
    (void)store->put(sample_key(target, problem, space, config), code, facts, unix_seconds());
  }
  const std::lock_guard lock(mutex_);
  if (codes_.size() >= kMostCodes) codes_.clear();
  codes_[name_of(target, problem, space.to_string(config))] = code;
}

Status GpuMachine::complete(const Target& target, Verdict& verdict) {
  if (verdict.plan.empty()) return {};
  SentPlan& plan = verdict.plan.front();
  const Problem problem = TRIODE_TRY(parse_problem(plan.problem));
  const Space space = TRIODE_TRY(space_of(target, problem));
  auto code = find(target, problem, space, TRIODE_TRY(space.parse(plan.config)));
  if (!code || digest_of(*code) != plan.code_digest) {
    return not_found("the code of the plan is not in the cache any more");
  }
  plan.code = std::move(*code);
  return {};
}

std::function<Result<std::unique_ptr<TrialSession>>(const BeginRequest&)> gpu_trials(
    uint64_t seed) {
  return [seed](const BeginRequest& request) { return begin_gpu_trial(request, seed); };
}

}  // namespace triode::tuner
