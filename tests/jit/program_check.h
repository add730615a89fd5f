// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/problem.h"
#include "core/space.h"
#include "jit/x86/gemm_program.h"
#include "jit/x86/gemm_space.h"
#include "jit/x86/kernel_cache.h"
#include "tests/reference/error_bound.h"
#include "tests/reference/guarded_operands.h"

namespace triode::x86 {

// Builds programs for one problem, runs them between guard pages and compares with the reference.
//
//   ProgramCheck check(problem, {.alpha = 0.37});
//   for (const Config& config : check.legal_configs(IsaId::kAvx2))
//   EXPECT_EQ(check.failure_of(config), "");
class ProgramCheck {
 public:
  struct Options {
    double alpha = 1;
    double beta = 0;
    bool any_scalars = false;  // build for alpha and beta of any value, instead of for these
    std::vector<Guard> guards = {Guard::kAfterEnd, Guard::kBeforeStart};  // a run for each
    size_t offset_bytes = 0;  // moves the operands away from the guards
    uint64_t seed = 1;        // of the values
  };

  // The problem's scalar classes and alignment are set from the options and from where the operands
  // lie.
  ProgramCheck(const Problem& problem, const Options& options);

  const Problem& problem() const { return problem_; }

  // The operands in front of the i-th guard. After changing their values call judge_anew().
  GuardedOperands& operands(size_t i) { return *sites_[i].operands; }
  void judge_anew();

  // Space on one thread. Fails the test and is empty if there is none.
  Space space(IsaId isa) const;
  std::vector<Config> legal_configs(IsaId isa) const { return space(isa).enumerate(); }

  // What is wrong with this config's program, with all that is needed to run it again; empty if
  // nothing.
  std::string failure_of(const Config& config) { return failure_of(to_gemm_config(config)); }
  std::string failure_of(const GemmConfig& config);

 private:
  // Operands in one place, c as it was before any run, and what it must become.
  struct Site {
    std::unique_ptr<GuardedOperands> operands;
    std::vector<std::byte> c_before;
    std::unique_ptr<ErrorBound> bound;
  };

  std::optional<std::string> find_fault(const GemmConfig& config);
  std::optional<std::string> find_fault_at(Site& site, const GemmProgram& program);
  std::string describe(const GemmConfig& config) const;

  Problem problem_;
  Options options_;
  std::vector<Site> sites_;
  KernelCache kernels_;
};

}  // namespace triode::x86
