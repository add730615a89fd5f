// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel/triode_parallel.h"

#include <array>
#include <atomic>
#include <memory>
#include <new>

#include "runtime/parallel/team.h"

namespace {

using triode::parallel::Team;

constexpr int kMaxParts = 1024;  // of one team; more than this run on the caller alone

// The team of each size, made when first asked for and kept to the end of the process: its workers
// may be at work in it until then.
std::array<std::atomic<Team*>, kMaxParts + 1> teams{};

Team* team_of(int parts) {
  std::atomic<Team*>& slot = teams[parts];
  Team* team = slot.load(std::memory_order_acquire);
  if (team != nullptr) return team;
  std::unique_ptr<Team> made;
  try {
    made = std::make_unique<Team>(parts);
  } catch (...) {
    return nullptr;  // no memory: the caller does without
  }
  if (slot.compare_exchange_strong(team, made.get(), std::memory_order_acq_rel)) {
    return made.release();
  }
  return team;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int triode_parallel_version(void) {
  return TRIODE_PARALLEL_VERSION;
}

__attribute__((visibility("default"))) void triode_parallel_run(
    int parts, void (*body)(void* context, int part), void* context) {
  if (parts > 1 && parts <= kMaxParts) {
    Team* const team = team_of(parts);
    if (team != nullptr && team->try_run(body, context)) return;
  }
  for (int part = 0; part < parts; ++part) body(context, part);
}

}  // extern "C"
