// SPDX-License-Identifier: Apache-2.0
// Lets Triode search the space of the device, checking every config before it is timed.

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "loop_device.h"
#include "runtime/search/config_search.h"
#include "runtime/search/problem_operands.h"

namespace {

class ComparedOperands final : public triode::CheckedOperands {
 public:
  explicit ComparedOperands(triode::ProblemOperands operands) : operands_(std::move(operands)) {}

  const triode::Operands& operands() const override { return operands_.operands(); }
  void reset_c() override { operands_.reset_c(); }
  triode::Outcome check() const override {
    const triode::Problem& p = operands_.problem();
    const auto* a = static_cast<const float*>(operands().a);
    const auto* b = static_cast<const float*>(operands().b);
    const auto* c = static_cast<const float*>(operands().c);
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < p.k; ++k) sum += double{a[i * p.lda + k]} * b[k * p.ldb + j];
        if (!(std::abs(c[i * p.ldc + j] - sum) <= operands_.tolerance())) {
          return {triode::OutcomeKind::kWrongResult, "an element is wrong"};
        }
      }
    }
    return {};
  }

 private:
  triode::ProblemOperands operands_;
};

triode::Status search() {
  const triode::Problem problem = triode::Problem::mm(triode::DType::kF32, 96, 130, 64);
  LoopDevice device;
  const triode::Space space = TRIODE_TRY(device.enumerate(problem));
  ComparedOperands operands(TRIODE_TRY(triode::ProblemOperands::make(problem, 1)));
  triode::SearchOptions options;
  options.exhaustive = true;
  const triode::SearchResult found = TRIODE_TRY(triode::search_configs(
      device, problem, space, {}, operands, options, triode::steady_clock()));
  std::printf("%zu configs are right; the fastest of '%s' is %s, %.1f us\n", found.tried.size(),
              to_string(problem).c_str(), space.to_string(found.finalists.front().config).c_str(),
              found.finalists.front().median_ns / 1e3);
  return {};
}

}  // namespace

int main() {
  const triode::Status status = search();
  if (!status.ok()) std::puts(status.to_string().c_str());
  return status.ok() ? 0 : 1;
}
