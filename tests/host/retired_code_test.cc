// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/retired_code.h"

#include <gtest/gtest.h>

#include "runtime/host/thread_record.h"
#include "tests/host/host_calls.h"

namespace triode::host {
namespace {

const Executable* any_executable() {
  PlanTable& table = *PlanTable::create();
  RawCall call = HostCall(4, 4, 4).raw();
  call.key.traits |= single_thread_site().traits | uint64_t{1} << call_traits::kThreads;
  const PlanEntry* const entry =
      table.add(call.key, PlanTable::hash_of(call.key), meaning_of(call.key), nullptr);
  return build_first(*entry).release();
}

TEST(RetiredCode, IsFreedOnceNoThreadIsBusyWithIt) {
  ThreadRecord& record = own_record();
  RetiredCode retired;
  const Executable* const executable = any_executable();
  retired.add(executable);
  record.busy_with = executable;
  retired.free_unused();
  EXPECT_EQ(retired.size(), 1u);
  record.busy_with = nullptr;
  retired.free_unused();
  EXPECT_EQ(retired.size(), 0u);
}

TEST(RetiredCode, IsFreedWhateverElseThreadsAreBusyWith) {
  ThreadRecord& record = own_record();
  RetiredCode retired;
  retired.add(any_executable());
  record.busy_with = kInVendor;
  retired.free_unused();
  EXPECT_EQ(retired.size(), 0u);
  record.busy_with = nullptr;
}

}  // namespace
}  // namespace triode::host
