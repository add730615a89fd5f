// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/host/dispatcher.h"
#include "runtime/host/hit_path.h"
#include "runtime/host/plain_gemm.h"
#include "runtime/host/retired_code.h"
#include "tests/host/host_calls.h"
#include "tests/jit/test_length.h"

namespace triode::host {
namespace {

constexpr int kThreads = 16;
constexpr int kShapes = 6;
constexpr int kTurns = 6;  // each entry's plan is published, replaced and withdrawn twice

// Entries are added from all threads at once.
class SharedSlowPath final : public SlowPath {
 public:
  explicit SharedSlowPath(PlanTable& table) : table_(table) {}
  PlanEntry* on_miss(const RawCall& call, uint64_t hash, const CallSite& site,
                     ThreadRecord&) noexcept override {
    return table_.add(call.key, hash, meaning_of(call.key), site.original);
  }
  void on_worth_tuning() noexcept override {}

 private:
  PlanTable& table_;
};

struct Shared {
  PlanTable& table = *PlanTable::create();
  SharedSlowPath slow_path{table};
  Dispatcher dispatcher{table, slow_path, {.ignores_alignment = true}};
  CallSite site{nullptr,
                Symbol::k_cblas_sgemm,
                nullptr,
                single_thread_site().vendor,
                single_thread_site().traits,
                single_thread_site().thread_count};
  std::atomic<int> running{kThreads};
  std::atomic<int> turns{0};  // of the one who swaps plans
  std::atomic<int> answered{0};
  std::atomic<int> wrong{0};
};

// Makes one call as an interceptor would, with plain loops as the vendor.
void make_call(Shared& shared, HostCall& call) {
  call.spoil_c();
  RawCall raw = call.raw();
  bool by_us = shared.dispatcher.answer_repeated(shared.site, call.sizes(), call.spelling(),
                                                 call.a(), call.b(), call.c(), 1.0f, 0.0f);
  if (!by_us) {
    const VendorTicket ticket = shared.dispatcher.enter(raw, shared.site);
    by_us = ticket.is_answered;
    if (!by_us) {
      plain_gemm(Problem::mm(DType::kF32, raw.key.m, raw.key.n, raw.key.k),
                 {.a = raw.a, .b = raw.b, .c = raw.c, .alpha = 1, .beta = 0});
      shared.dispatcher.leave(ticket);
    }
  }
  shared.answered += by_us ? 1 : 0;
  shared.wrong += call.c_is_right() ? 0 : 1;
}

void make_calls(Shared& shared, int seed, int rounds) {
  std::vector<HostCall> calls;
  for (int i = 0; i < kShapes; ++i) calls.emplace_back(3 + i, 5 + 2 * i, 4 + i);
  const auto has_seen_enough = [&] { return shared.turns >= kTurns && shared.answered > 0; };
  for (int round = 0; round < rounds || !has_seen_enough(); ++round) {
    make_call(shared, calls[static_cast<size_t>(round / 8 + seed) % kShapes]);
  }
  --shared.running;
}

// Publishes, replaces and withdraws plans for as long as calls are made, freeing what is unused.
void swap_plans(Shared& shared) {
  RetiredCode retired;
  for (int turn = 0; shared.running > 0; ++turn) {
    shared.table.for_each([&](PlanEntry& entry) {
      const Executable* const next =
          (turn + static_cast<int>(entry.index)) % 3 == 0 ? nullptr : build_first(entry).release();
      if (const Executable* const before = entry.executable.exchange(next)) retired.add(before);
    });
    retired.free_unused();
    ++shared.turns;
  }
  shared.table.for_each([&](PlanEntry& entry) {
    if (const Executable* const last = entry.executable.exchange(nullptr)) retired.add(last);
  });
  retired.free_unused();
  EXPECT_EQ(retired.size(), 0u);
}

TEST(PlanSwap, UnderCallsFromManyThreadsLosesNoCallAndFreesAllCode) {
  Shared shared;
  const int rounds = scaled_count(1000);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(make_calls, std::ref(shared), i, rounds);
  swap_plans(shared);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.wrong, 0);
  EXPECT_GT(shared.answered, 0);
  EXPECT_EQ(shared.table.size(), size_t{kShapes});
}

}  // namespace
}  // namespace triode::host
