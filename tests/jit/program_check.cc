// SPDX-License-Identifier: Apache-2.0
#include "tests/jit/program_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "tests/reference/fault_trap.h"
#include "tests/reference/guarded_memory.h"

namespace triode::x86 {
namespace {

constexpr size_t kWorkspaceAlignment = 64;

// Every byte set: NaN in either type, so that reading what was not written first spoils the result.
constexpr std::byte kUnwritten{0xFF};

// A workspace that faults past its last cache line.
GuardedMemory make_workspace(size_t size_bytes) {
  const size_t rounded =
      (size_bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
  GuardedMemory memory(size_bytes, Guard::kAfterEnd, rounded - size_bytes);
  std::fill_n(memory.data(), size_bytes, kUnwritten);
  return memory;
}

}  // namespace

ProgramCheck::ProgramCheck(const Problem& problem, const Options& options)
    : problem_(problem), options_(options) {
  problem_.alpha = options.any_scalars ? ScalarClass::kOther : classify_scalar(options.alpha);
  problem_.beta = options.any_scalars ? ScalarClass::kOther : classify_scalar(options.beta);
  for (const Guard guard : options.guards) {
    Site site;
    site.operands =
        std::make_unique<GuardedOperands>(problem, guard, options.seed, options.offset_bytes);
    sites_.push_back(std::move(site));
    problem_.alignment_bytes =
        std::min(problem_.alignment_bytes, sites_.back().operands->alignment_bytes());
  }
  judge_anew();
}

void ProgramCheck::judge_anew() {
  for (Site& site : sites_) {
    site.c_before = site.operands->c().snapshot();
    site.bound = std::make_unique<ErrorBound>(
        problem_, site.operands->operands(options_.alpha, options_.beta));
  }
}

Space ProgramCheck::space(IsaId isa) const {
  const std::array isas = {isa};
  Result<Space> space = gemm_space(problem_, isas, 1);
  EXPECT_TRUE(space.ok()) << space.status().to_string();
  return space.ok() ? std::move(space).take() : Space();
}

std::string ProgramCheck::failure_of(const GemmConfig& config) {
  const std::optional<std::string> fault = find_fault(config);
  return fault.has_value() ? *fault + "\n" + describe(config) : "";
}

std::optional<std::string> ProgramCheck::find_fault(const GemmConfig& config) {
  std::optional<Result<std::unique_ptr<GemmProgram>>> program;
  const std::optional<Fault> fault =
      trap_fault([&] { program.emplace(GemmProgram::build(problem_, config, kernels_)); });
  if (fault.has_value()) return "building the program ended in " + fault->to_string();
  if (!program->ok()) return "the program was not built: " + program->status().to_string();
  for (size_t i = 0; i < sites_.size(); ++i) {
    if (auto found = find_fault_at(sites_[i], *program->value())) {
      return to_string(options_.guards[i]) + ": " + *found;
    }
  }
  return std::nullopt;
}

std::optional<std::string> ProgramCheck::find_fault_at(Site& site, const GemmProgram& program) {
  GuardedMemory workspace = make_workspace(program.workspace_bytes());
  site.operands->c().restore(site.c_before);
  const Operands operands = site.operands->operands(options_.alpha, options_.beta);
  if (auto trespass =
          site.operands->find_trespass([&] { program.run(operands, workspace.data()); })) {
    return trespass;
  }
  if (!workspace.slack_is_intact()) return "memory outside the workspace was written to";
  return site.bound->find_mismatch(operands.c);
}

std::string ProgramCheck::describe(const GemmConfig& config) const {
  const Result<Space> space = gemm_space(problem_, all_isas(), 1);
  const std::string text = space.ok() ? space->to_string(to_config(config)) : "(any)";
  std::array<char, 160> values;
  std::snprintf(values.data(), values.size(), "alpha %.9g, beta %.9g, offset %zu bytes, seed %llu",
                options_.alpha, options_.beta, options_.offset_bytes,
                static_cast<unsigned long long>(options_.seed));
  return std::string("  with ") + values.data() + "\n  to run it again: TRIODE_TEST_PROBLEM='" +
         to_string(problem_) + "' TRIODE_TEST_CONFIG='" + text +
         "' jit_tests --gtest_filter='*RunsTheGivenCase'";
}

}  // namespace triode::x86
