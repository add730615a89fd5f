// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/sample_key.h"
#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"
#include "runtime/tuner/messages.h"
#include "runtime/tuner/problem_search.h"
#include "runtime/tuner/trial_log.h"
#include "runtime/tuner/trial_runner.h"
#include "runtime/tuner/trial_session.h"

namespace triode {
class CudaCompiler;
}

namespace triode::tuner {

// The GPUs that programs report calls on, as far as the tuner needs them: what could run there, and
// its code. The tuner itself opens no GPU; workers do. Compiles when first asked, and keeps the
// code in the cache's artifacts: for the next search by what compiled it, so that another Triton or
// a changed source compiles anew, and for a plan of an earlier run by its digest, so that it comes
// with what was checked then (docs/adr/0059). Any thread.
class GpuMachine {
 public:
  // `trials` must outlive this. While it has no artifacts, code is kept in memory alone.
  explicit GpuMachine(TrialLog& trials) : trials_(trials) {}
  ~GpuMachine();

  // Whether a target is a GPU's.
  static bool runs(const Target& target);

  // kUnsupported where nothing of ours does the problem; kNotFound if there is no compiler.
  Result<Space> space_of(const Target& target, const Problem& problem);

  // Compiles configs, several at once: see emit_digests().
  std::vector<Result<uint64_t>> emit(const Target& target, const Problem& problem,
                                     std::span<const Config> configs);

  // The code of a config of that call, compiled if need be.
  Result<std::string> code_of(const TunedCall& call, const std::string& config);

  // Puts the code of its plan, if it has one, into a verdict for a client of that target. An error
  // if the code is not there any more. Compiles nothing.
  Status complete(const Target& target, Verdict& verdict);

  // The target under which trials of that problem are kept: its toolchain names the compiler too.
  // kUnavailable if that does not answer.
  Result<Target> recorded_as(const Target& target, const Problem& problem);

  // Fewer trials than a cpu's, and more time: a compile takes a second.
  static void adapt(ProblemSearchOptions& options);

 private:
  Result<CudaCompiler*> compiler();
  // What was compiled before; empty if nothing was, or it is kept no more.
  std::optional<std::string> find(const SampleKey& key);
  Result<std::string> compile(const Target& target, const Problem& problem, const Space& space,
                              const Config& config);
  void keep(const SampleKey& as_compiled, const SampleKey& as_checked, const std::string& code);

  TrialLog& trials_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<CudaCompiler> compiler_;
  std::map<std::string, std::shared_ptr<const std::string>> codes_;  // by name_of(): latest ones
};

// TrialWorkerOptions::begin_on_gpu; empty where Triode was built without CUDA.
std::function<Result<std::unique_ptr<TrialSession>>(const BeginRequest&)> gpu_trials(uint64_t seed);

}  // namespace triode::tuner
