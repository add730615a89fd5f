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
#include "core/unix_time.h"
#include "runtime/device/cuda_compiler.h"
#include "runtime/device/cuda_program.h"
#include "runtime/device/cuda_target.h"
#include "runtime/tuner/checked_code.h"
#include "runtime/tuner/gpu_trial.h"
#include "runtime/tuner/vendor_call.h"

namespace triode::tuner {
namespace {

// Names of codes in memory, two for each: more than the trials of a search.
constexpr size_t kMostCodes = 1024;
// Compiles at once: as many as there are Python workers.
constexpr size_t kCompiles = 2;

constexpr size_t kBatch = 4;
constexpr size_t kTrials = 24;
constexpr std::chrono::seconds kSearchTime(90);  // wall time; most of it compiles

std::string name_of(const SampleKey& key) {
  std::string name;
  for (const auto* part :
       {&key.device, &key.problem, &key.config, &key.validity.toolchain, &key.validity.driver}) {
    name += *part + '\n';
  }
  return name;
}

Target with_compiler(Target target, const std::string& toolchain) {
  target.toolchain += "; " + toolchain;
  return target;
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
  std::vector<Result<uint64_t>> digests(configs.size(), unavailable("not compiled"));
  const Result<Space> space = space_of(target, problem);
  if (!space.ok()) return std::vector(configs.size(), Result<uint64_t>(space.status()));
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

Result<Target> GpuMachine::recorded_as(const Target& target, const Problem& problem) {
  CudaCompiler* const compiling = TRIODE_TRY(compiler());
  return with_compiler(target, TRIODE_TRY(compiling->toolchain(target, problem)));
}

std::optional<std::string> GpuMachine::find(const SampleKey& key) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = codes_.find(name_of(key));
    if (known != codes_.end()) return *known->second;
  }
  ArtifactStore* const store = trials_.artifacts();
  if (store == nullptr) return std::nullopt;
  const auto digest = store->find(key);
  if (!digest.ok() || !*digest) return std::nullopt;
  auto code = store->code(**digest);
  const bool is_there = code.ok() && *code && parse_cuda_program(**code).ok();
  if (!is_there) return std::nullopt;
  (void)store->touch(**digest, unix_seconds());  // at worst it is dropped sooner
  return std::move(code).take();
}

Result<std::string> GpuMachine::compile(const Target& target, const Problem& problem,
                                        const Space& space, const Config& config) {
  const Target recorded = TRIODE_TRY(recorded_as(target, problem));
  if (auto known = find(sample_key(recorded, problem, space, config))) return std::move(*known);
  CudaCompiler* const compiling = TRIODE_TRY(compiler());
  const CudaProgram program = TRIODE_TRY(compiling->compile(target, problem, config));
  const std::string code = to_bytes(program);
  // By what did compile it: the compiler may have been replaced since it was asked.
  const Target compiled = with_compiler(target, program.toolchain);
  keep(sample_key(compiled, problem, space, config),
       checked_code_key(target, problem, space.to_string(config), digest_of(code)), code);
  return code;
}

void GpuMachine::keep(const SampleKey& as_compiled, const SampleKey& as_checked,
                      const std::string& code) {
  if (ArtifactStore* const store = trials_.artifacts()) {
    ArtifactFacts facts;
    facts.kind = "cuda-program";
    // What cannot be kept is compiled again. The store has equal code once.
    (void)store->put(as_compiled, code, facts, unix_seconds());
    (void)store->put(as_checked, code, facts, unix_seconds());
  }
  const auto shared = std::make_shared<const std::string>(code);
  const std::lock_guard lock(mutex_);
  if (codes_.size() >= kMostCodes) codes_.clear();
  codes_[name_of(as_compiled)] = codes_[name_of(as_checked)] = shared;
}

Status GpuMachine::complete(const Target& target, Verdict& verdict) {
  if (verdict.plan.empty()) return {};
  SentPlan& plan = verdict.plan.front();
  const Problem problem = TRIODE_TRY(parse_problem(plan.problem));
  auto code = find(checked_code_key(target, problem, plan.config, plan.code_digest));
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
