// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/hit_calls_command.h"

#include <signal.h>
#include <sys/ptrace.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <system_error>

#include "core/problem.h"
#include "core/status.h"
#include "tools/bench/blas_call.h"
#include "tools/bench/child_process.h"
#include "tools/bench/command_line.h"
#include "tools/bench/host_copy.h"
#include "tools/bench/peers.h"
#include "tools/bench/test_case.h"

namespace triode::bench {
namespace {

// Enough for every branch of a hit to have been taken, the timed calls' included.
constexpr int kCallsNotLookedAt = 256;

Status stop_for_tracer(const void* cblas_sgemm, std::ostream& out) {
  out << cblas_sgemm << std::endl;
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
    return unavailable(std::string("ptrace is not allowed here: ") + std::strerror(errno));
  }
  raise(SIGSTOP);
  return {};
}

Status make_calls(const HitCalls& what, std::ostream& out) {
  const std::unique_ptr<Peer> vendor = TRIODE_TRY(load_peer("openblas", ""));
  vendor->set_threads(1);
  const HostCopy triode = TRIODE_TRY(HostCopy::open(what.library));
  const Problem problem = Problem::mm(DType::kF32, 8, 8, 8);
  const std::unique_ptr<TestCase> test_case = TRIODE_TRY(TestCase::make(problem, 1));
  const std::function<void()> call =
      bind_cblas(triode.cblas_sgemm(), nullptr, problem, test_case->operands());
  for (int i = 0; i < kCallsNotLookedAt; ++i) call();
  test_case->reset_c();
  if (what.is_traced) TRIODE_TRY(stop_for_tracer(triode.cblas_sgemm(), out));
  for (int i = 0; i < what.calls; ++i) call();
  if (what.is_traced) raise(SIGSTOP);
  const Outcome outcome = test_case->check();
  return outcome.ok() ? Status() : internal_error("a wrong result: " + outcome.reason);
}

}  // namespace

std::vector<std::string> hit_calls_command(const HitCalls& what) {
  std::error_code ignored;  // an empty name cannot be started, which says enough
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::vector<std::string> command = {program.string(), kHitCallsName, "--library",
                                      what.library,     "--calls",     std::to_string(what.calls)};
  if (what.is_traced) command.emplace_back("--traced");
  return command;
}

// Mode tune, as programs run, with a plan from the first call on, so that nothing is searched for.
std::vector<std::string> hit_calls_environment(const std::string& folder) {
  return environment_with({{"TRIODE_MODE", "tune"},
                           {"TRIODE_FORCE_PLANS", "first"},
                           {"TRIODE_TUNER", "local-search"},
                           {"TRIODE_CACHE", folder},
                           {"OPENBLAS_NUM_THREADS", "1"}});
}

int run_hit_calls(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  HitCalls what;
  CLI::App app;
  app.add_option("--library", what.library)->required();
  app.add_option("--calls", what.calls)->required();
  app.add_flag("--traced", what.is_traced);
  try {
    app.parse(
        std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // it pops from the end
  } catch (const CLI::ParseError& error) {
    return complain(invalid_argument(error.what()), kWrongUsage, err);
  }
  const Status status = make_calls(what, out);
  return status.ok() ? kDone : complain(status, kFailed, err);
}

}  // namespace triode::bench
