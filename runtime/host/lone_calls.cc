// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/lone_calls.h"

#include <x86intrin.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/host/call_meaning.h"
#include "runtime/host/plain_gemm.h"
#include "runtime/host/thread_record.h"
#include "runtime/host/warning.h"
#include "runtime/host/without_memory.h"

namespace triode::host {
namespace {

// While another thread adds the same entry, some nanoseconds, the table gives none; plain loops may
// take a thousand times as long as a kernel. A full table gives none either: that ends the wait.
constexpr int kAttempts = 64;

// Without memory for a record the call is not counted.
void count_call(const PlanEntry& entry, uint64_t ticks) {
  ThreadRecord* const thread = own_thread_record();
  if (thread == nullptr) return;
  CallCounter::Side& side = thread->counters[entry.index].by_us;
  side.count();
  side.time(ticks);
}

// A gemv may walk its vectors backwards, which a Problem cannot say: the meaning of the same call
// with vectors that are walked forwards.
CallMeaning meaning_of_forward_gemv(CallKey key) {
  for (int64_t* const step : {&key.ldb, &key.ldc}) {
    if (*step < 0 && *step >= -kLongestStride) *step = -*step;
  }
  return meaning_of(key);
}

// Walks a vector of `count` elements as the call asks: backwards from the last one in memory.
template <typename Pointer>
void walk_backwards(int64_t count, DType type, int64_t& step, Pointer*& vector) {
  using Bytes = std::conditional_t<std::is_const_v<Pointer>, const char*, char*>;
  vector = static_cast<Bytes>(vector) + (count - 1) * step * size_bytes(type);
  step = -step;
}

// Without an element, y stays as it is: it is not even scaled.
void answer_gemv_plainly(const RawCall& call, CallMeaning meaning) {
  if (meaning.understanding == Understanding::kEmpty) return;
  Problem& problem = meaning.problem;
  Operands operands = operands_of(call, false);
  if (call.key.ldb < 0) walk_backwards(problem.k, problem.b_type, problem.ldb, operands.b);
  if (call.key.ldc < 0) walk_backwards(problem.m, problem.c_type, problem.ldc, operands.c);
  plain_gemm(problem, operands);
}

}  // namespace

void LoneCalls::answer(const RawCall& call, bool counts) noexcept {
  PlanEntry* const entry = prepare(call);
  if (entry == nullptr) return answer_plainly(call);
  const uint64_t start = __rdtsc();
  const Executable* const kernel = entry->executable.load(std::memory_order_acquire);
  const bool may_run = kernel != nullptr && entry->checks.allow(call);
  if (!may_run || !kernel->run(call, entry->operands_exchanged)) answer_plainly(call);
  if (counts) count_call(*entry, __rdtsc() - start);
}

PlanEntry* LoneCalls::prepare(const RawCall& call) noexcept {
  PlanEntry* const entry = find_or_add(call);
  const bool has_kernel =
      entry != nullptr && entry->executable.load(std::memory_order_acquire) != nullptr;
  if (entry != nullptr && !has_kernel) {
    // Without memory for one, plain loops answer.
    static_cast<void>(or_without_memory([&] { return build_kernel(*entry), true; }, false));
  }
  return entry;
}

PlanEntry* LoneCalls::find_or_add(const RawCall& call) noexcept {
  const uint64_t hash = PlanTable::hash_of(call.key);
  if (PlanEntry* const known = table_.find(call.key, hash)) return known;
  const CallMeaning meaning = meaning_of(call.key);
  if (meaning.understanding != Understanding::kProblem) return nullptr;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (PlanEntry* const added = table_.add(call.key, hash, meaning, nullptr)) return added;
    _mm_pause();
  }
  return nullptr;
}

// A kernel of the table stays for good: nothing else is ever published for a call without a vendor.
void LoneCalls::build_kernel(PlanEntry& entry) {
  const CpuPlanMaker* const maker = cpu_maker_.get();
  if (maker == nullptr) return;
  auto built = maker->build_forced(entry.problem, ForcedPlans::kFirst);
  if (!built.ok()) return;
  std::unique_ptr<const Executable> made = std::move(built).take();
  const Executable* none = nullptr;
  if (entry.executable.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel)) {
    static_cast<void>(made.release());
  }
}

void answer_plainly(const RawCall& call) noexcept {
  const auto& symbol = traits_of(call_traits::symbol(call.key.traits));
  const bool gemv = is_gemv(symbol.dialect);
  const CallMeaning meaning = gemv ? meaning_of_forward_gemv(call.key) : meaning_of(call.key);
  if (meaning.understanding == Understanding::kInvalid) {
    return warn_once("a call of " + std::string(symbol.name) + " has wrong arguments; ignored.");
  }
  if (gemv) return answer_gemv_plainly(call, meaning);
  plain_gemm(meaning.problem, operands_of(call, meaning.operands_exchanged));
}

}  // namespace triode::host
