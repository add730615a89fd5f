// SPDX-License-Identifier: Apache-2.0
#include "tests/host/host_calls.h"

#include <cmath>
#include <utility>

#include "runtime/host/call_meaning.h"
#include "runtime/host/plain_gemm.h"

namespace triode::host {
namespace {

constexpr float kSpoilt = 77;

std::vector<float> small_numbers(int64_t count, int seed) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<float>((static_cast<int>(i) * 7 + seed) % 17 - 8) / 8;
  }
  return numbers;
}

const CpuPlanMaker& maker() {
  static const CpuPlanMaker* const made = std::move(CpuPlanMaker::create()).take().release();
  return *made;
}

}  // namespace

HostCall::HostCall(int64_t m, int64_t n, int64_t k, double alpha, double beta)
    : m_(m),
      n_(n),
      k_(k),
      alpha_(alpha),
      beta_(beta),
      a_(small_numbers(m * k, 1)),
      b_(small_numbers(k * n, 2)),
      c_(static_cast<size_t>(m * n), kSpoilt) {}

RawCall HostCall::raw() const {
  RawCall call{.key = {.m = m_, .n = n_, .k = k_, .lda = k_, .ldb = n_, .ldc = n_},
               .a = a_.data(),
               .b = b_.data(),
               .c = const_cast<float*>(aliased_ ? a_.data() : c_.data()),
               .alpha = alpha_,
               .beta = beta_};
  call.key.traits = call_traits::of_spelling(spelling()) | call_traits::of_scalars(alpha_, beta_);
  return call;
}

void HostCall::spoil_c() {
  std::fill(c_.begin(), c_.end(), kSpoilt);
}

bool HostCall::c_is_right() const {
  std::vector<float> expected(c_.size(), kSpoilt);
  const Problem problem = Problem::mm(DType::kF32, m_, n_, k_);
  plain_gemm(
      problem,
      {.a = a_.data(), .b = b_.data(), .c = expected.data(), .alpha = alpha_, .beta = beta_});
  for (size_t i = 0; i < c_.size(); ++i) {
    if (!(std::abs(c_[i] - expected[i]) <= 1e-4f * static_cast<float>(k_ + 1))) return false;
  }
  return true;
}

ThreadRecord& own_record() {
  return this_thread_record != nullptr ? *this_thread_record : *adopt_thread_record();
}

const CallSite& single_thread_site() {
  static const volatile int one = 1;
  static const Vendor vendor{"stand-in 0", "", &one, nullptr, nullptr, false};
  static const CallSite site{nullptr,
                             Symbol::k_cblas_sgemm,
                             nullptr,
                             &vendor,
                             call_traits::of_site(Symbol::k_cblas_sgemm, 1),
                             &one};
  return site;
}

PlanEntry* AddingSlowPath::on_miss(const RawCall& call, uint64_t hash, const CallSite& site,
                                   ThreadRecord&) noexcept {
  ++misses;
  const CallMeaning meaning = meaning_of(call.key);
  if (meaning.understanding != Understanding::kProblem) return nullptr;
  return table_.add(call.key, hash, meaning, site.original);
}

std::unique_ptr<const Executable> build_first(const PlanEntry& entry) {
  return std::move(maker().build_forced(entry.problem, ForcedPlans::kFirst)).take();
}

}  // namespace triode::host
