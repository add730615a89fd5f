// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/kernel_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "tests/jit/kernel_specs.h"
#include "tests/jit/memory_map.h"

namespace triode::x86 {
namespace {

using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::shared_ptr<const Kernel> must_get(KernelCache& cache, const KernelSpec& spec) {
  Result<std::shared_ptr<const Kernel>> kernel = cache.get(spec);
  EXPECT_TRUE(kernel.ok()) << kernel.status().to_string();
  return std::move(kernel).take();
}

// One change to each field of a spec that decides code.
const std::vector<std::function<void(KernelSpec&)>> kChanges = {
    [](KernelSpec& spec) { spec.isa = IsaId::kAvx512; },
    [](KernelSpec& spec) { spec.family = Family::kDot; },
    [](KernelSpec& spec) { spec.dtype = DType::kF64; },
    [](KernelSpec& spec) { spec.mr += 1; },
    [](KernelSpec& spec) { spec.nr += 16; },
    [](KernelSpec& spec) { spec.ku += 1; },
    [](KernelSpec& spec) { spec.m += 1; },
    [](KernelSpec& spec) { spec.n += 1; },
    [](KernelSpec& spec) { spec.k += 1; },
    [](KernelSpec& spec) { spec.a_row_bytes += 4; },
    [](KernelSpec& spec) { spec.a_step_bytes += 4; },
    [](KernelSpec& spec) { spec.b_row_bytes += 4; },
    [](KernelSpec& spec) { spec.c_row_bytes += 4; },
    [](KernelSpec& spec) { spec.b_layout = BLayout::kPanels; },
    [](KernelSpec& spec) { spec.alpha = ScalarClass::kOther; },
    [](KernelSpec& spec) { spec.beta = ScalarClass::kOther; },
    [](KernelSpec& spec) { spec.order = LoopOrder::kRowsOuter; },
    [](KernelSpec& spec) { spec.rows = RowTiles::kTail; },
    [](KernelSpec& spec) { spec.edge = EdgeStore::kSplit; },
    [](KernelSpec& spec) { spec.stores = StoreKind::kStreaming; },
    [](KernelSpec& spec) { spec.prefetch_a = PrefetchA::kL1; },
    [](KernelSpec& spec) { spec.prefetch_panel = 1; },
    [](KernelSpec& spec) { spec.prefetch_b = 1; },
    [](KernelSpec& spec) { spec.prefetch_c = 1; },
};

TEST(KernelSpecHash, IsTheSameForEqualSpecs) {
  EXPECT_EQ(KernelSpecHash{}(outer_spec(IsaId::kAvx2)), KernelSpecHash{}(outer_spec(IsaId::kAvx2)));
}

TEST(KernelSpecHash, DependsOnEveryField) {
  const KernelSpec original = outer_spec(IsaId::kAvx2);
  std::vector<size_t> hashes = {KernelSpecHash{}(original)};
  for (const auto& change : kChanges) {
    KernelSpec changed = original;
    change(changed);
    EXPECT_NE(changed, original);
    hashes.push_back(KernelSpecHash{}(changed));
  }
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end()) << "two specs share a hash";
}

TEST(Kernel, IsSealed) {
  const auto kernel = Kernel::compile(outer_spec(IsaId::kAvx2));
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  EXPECT_THAT(permissions_at((*kernel)->code().data()), Optional(std::string("r-xp")));
  EXPECT_THAT(writable_executable_ranges(), IsEmpty());
}

TEST(Kernel, SameSpecGivesTheSameBytes) {
  for (const IsaId isa : all_isas()) {
    const auto first = Kernel::compile(outer_spec(isa));
    const auto second = Kernel::compile(outer_spec(isa));
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_NE((*first)->code().data(), (*second)->code().data());
    EXPECT_TRUE(std::ranges::equal((*first)->code(), (*second)->code()));
  }
}

TEST(Kernel, RefusesOffsetsThatFitNoInstruction) {
  KernelSpec spec = outer_spec(IsaId::kAvx2);
  spec.a_row_bytes = int64_t{1} << 40;
  const auto kernel = Kernel::compile(spec);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kUnsupported);
}

TEST(Kernel, ToolchainNamesTheCodeGenerator) {
  EXPECT_THAT(toolchain(), StartsWith("asmjit "));
}

TEST(KernelCache, GivesTheSameKernelForTheSameSpec) {
  KernelCache cache;
  const auto first = must_get(cache, outer_spec(IsaId::kAvx2));
  const auto second = must_get(cache, outer_spec(IsaId::kAvx2));
  EXPECT_EQ(first, second);
}

TEST(KernelCache, GivesAnotherKernelForAnotherSpec) {
  KernelCache cache;
  const auto first = must_get(cache, outer_spec(IsaId::kAvx2));
  const auto second = must_get(cache, outer_spec(IsaId::kAvx2, DType::kF64));
  EXPECT_NE(first, second);
  EXPECT_FALSE(std::ranges::equal(first->code(), second->code()));
}

TEST(KernelCache, CountsWhatItCompiledAndWhatItShared) {
  KernelCache cache;
  const auto first = must_get(cache, outer_spec(IsaId::kAvx2));
  const auto again = must_get(cache, outer_spec(IsaId::kAvx2));
  const auto other = must_get(cache, dot_spec(IsaId::kAvx2));
  EXPECT_EQ(cache.counters().compiled, 2);
  EXPECT_EQ(cache.counters().shared, 1);
  EXPECT_GT(cache.counters().compile_ns, 0);
}

TEST(KernelCache, KeepsWhatEachCompilationTook) {
  KernelCache cache;
  const auto first = must_get(cache, outer_spec(IsaId::kAvx2));
  const auto again = must_get(cache, outer_spec(IsaId::kAvx2));
  const auto other = must_get(cache, dot_spec(IsaId::kAvx2));
  const std::vector<int64_t> times = cache.compile_times_ns();
  EXPECT_THAT(times, SizeIs(2));
  EXPECT_EQ(std::accumulate(times.begin(), times.end(), int64_t{0}), cache.counters().compile_ns);
}

TEST(KernelCache, ReleasesAKernelNobodyHolds) {
  KernelCache cache;
  std::weak_ptr<const Kernel> released = must_get(cache, outer_spec(IsaId::kAvx2));
  EXPECT_TRUE(released.expired());
  must_get(cache, outer_spec(IsaId::kAvx2));
  EXPECT_EQ(cache.counters().compiled, 2);
  EXPECT_EQ(cache.counters().shared, 0);
}

TEST(KernelCache, KernelsOutliveTheCache) {
  std::shared_ptr<const Kernel> kernel;
  {
    KernelCache cache;
    kernel = must_get(cache, outer_spec(IsaId::kAvx2));
  }
  EXPECT_THAT(permissions_at(kernel->code().data()), Optional(std::string("r-xp")));
}

TEST(KernelCache, StillFindsHeldKernelsAfterManyWereReleased) {
  KernelCache cache;
  const auto held = must_get(cache, outer_spec(IsaId::kAvx2));
  for (int64_t k = 1; k <= 1000; ++k) must_get(cache, resized(outer_spec(IsaId::kAvx2), 1, 8, k));
  EXPECT_EQ(must_get(cache, outer_spec(IsaId::kAvx2)), held);
}

TEST(KernelCache, AFailedCompileLeavesTheSlotEmpty) {
  KernelCache cache;
  KernelSpec spec = outer_spec(IsaId::kAvx2);
  spec.a_row_bytes = int64_t{1} << 40;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto kernel = cache.get(spec);
    ASSERT_FALSE(kernel.ok());
    EXPECT_EQ(kernel.status().code(), StatusCode::kUnsupported);
  }
  EXPECT_EQ(cache.counters().compiled, 0);
  EXPECT_EQ(cache.counters().shared, 0);
}

}  // namespace
}  // namespace triode::x86
