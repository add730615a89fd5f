// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_caller.h"

#include <dlfcn.h>

#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/clock.h"
#include "tools/bench/answering_code.h"
#include "tools/bench/blas_call.h"

namespace triode::bench {
namespace {

const char* symbol_of(const std::string& vendor) {
  return vendor == "openblas" ? "cblas_sgemm" : "scipy_cblas_sgemm";
}

Result<void*> find_intercepted(const char* symbol) {
  void* const function = dlsym(RTLD_DEFAULT, symbol);
  Dl_info where{};
  const bool is_known = function != nullptr && dladdr(function, &where) != 0;
  if (is_known && std::string_view(where.dli_fname).find("libtriode") != std::string_view::npos) {
    return function;
  }
  return unavailable(std::string("the calls of ") + symbol +
                     " in this process are not intercepted; start it by triode run");
}

}  // namespace

Result<TunerCaller> TunerCaller::make(const std::string& vendor, const std::string& venv) {
  TunerCaller caller;
  caller.by_program_ = TRIODE_TRY(find_intercepted(symbol_of(vendor)));
  caller.vendor_ = TRIODE_TRY(load_peer(vendor, venv));
  caller.vendor_->set_threads(1);
  return caller;
}

Result<ComparedCall> TunerCaller::bind(const Problem& problem, std::uint64_t seed) const {
  ComparedCall call;
  call.problem = problem;
  call.operands =
      std::make_unique<ProblemOperands>(TRIODE_TRY(ProblemOperands::make(problem, seed)));
  const Operands& operands = call.operands->operands();
  call.by_program = bind_cblas(by_program_, nullptr, problem, operands);
  call.by_library = bind_cblas(vendor_->f32_gemm(), nullptr, problem, operands);
  return call;
}

Status TunerCaller::check(const ComparedCall& call) const {
  ProblemOperands& operands = *call.operands;
  const auto* const c = static_cast<const float*>(operands.operands().c);
  const auto elements = static_cast<std::size_t>(operands.c_elements());
  operands.reset_c();
  call.by_library();
  const std::vector<float> expected(c, c + elements);
  operands.reset_c();
  call.by_program();
  for (std::size_t i = 0; i < elements; ++i) {
    // Written so that NaN, which is in no right result, does not pass.
    const bool is_near = std::abs(c[i] - expected[i]) <= operands.tolerance();
    if (!is_near) {
      return internal_error("a wrong result of " + to_string(call.problem) + ": element " +
                            std::to_string(i) + " is " + std::to_string(c[i]) + " and not " +
                            std::to_string(expected[i]));
    }
  }
  return {};
}

Result<bool> TunerCaller::is_ours(const ComparedCall& call) const {
  const Problem& problem = call.problem;
  const auto bytes = static_cast<std::size_t>(problem.m * problem.lda) * sizeof(float);
  Operands operands = call.operands->operands();
  const std::string code = TRIODE_TRY(answering_code(bytes, [&](const void* a) {
    operands.a = a;
    bind_cblas(by_program_, nullptr, problem, operands)();
  }));
  return code == kGeneratedCode;
}

double time_calls(const std::function<void()>& call, int repeats) {
  const std::int64_t begin = steady_ns();
  for (int i = 0; i < repeats; ++i) call();
  return static_cast<double>(steady_ns() - begin);
}

std::int64_t steady_ns() {
  return steady_clock().now().count();
}

}  // namespace triode::bench
