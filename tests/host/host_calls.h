// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/host/call_sites.h"
#include "runtime/host/cpu_plan_maker.h"
#include "runtime/host/dispatcher.h"
#include "runtime/host/plan_table.h"

namespace triode::host {

// One row-major sgemm with memory of its own, as an interceptor would describe it.
class HostCall {
 public:
  HostCall(int64_t m, int64_t n, int64_t k, double alpha = 1, double beta = 0);

  RawCall raw() const;  // as it comes: without what the dispatcher adds to the key
  CallSizes<int64_t> sizes() const { return {m_, n_, k_, k_, n_, n_}; }
  Spelling spelling() const { return {101, 111, 111}; }

  float* a() { return a_.data(); }
  float* b() { return b_.data(); }
  float* c() { return c_.data(); }

  void spoil_c();           // so that nothing right is left in it
  bool c_is_right() const;  // by plain loops, from the c that spoil_c() left
  void move_c_into_a() { aliased_ = true; }

 private:
  int64_t m_, n_, k_;
  double alpha_, beta_;
  std::vector<float> a_, b_, c_;
  bool aliased_ = false;
};

// The calling thread's record, made if there is none yet.
ThreadRecord& own_record();

// A site that nobody calls from, of cblas_sgemm in a library that uses one thread.
const CallSite& single_thread_site();

// Adds entries for what it is asked, and counts the questions.
class AddingSlowPath final : public SlowPath {
 public:
  explicit AddingSlowPath(PlanTable& table) : table_(table) {}

  PlanEntry* on_miss(const RawCall& call, uint64_t hash, const CallSite& site,
                     ThreadRecord& thread) noexcept override;
  void on_worth_tuning() noexcept override { ++worth_tuning; }

  int misses = 0;
  int worth_tuning = 0;

 private:
  PlanTable& table_;
};

// A plan for the entry, by the config that is tried first.
std::unique_ptr<const Executable> build_first(const PlanEntry& entry);

}  // namespace triode::host
