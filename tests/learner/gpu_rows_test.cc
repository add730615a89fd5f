// SPDX-License-Identifier: Apache-2.0
#include "learner/model/gpu_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/random.h"
#include "learner/model/feature_table.h"
#include "tests/learner/small_model.h"

namespace triode {
namespace {

constexpr size_t kCount = 37;  // no multiple of any width

TritonColumns drawn_columns(uint64_t seed) {
  Random random(seed);
  const auto draw = [&](int most_power) {
    return static_cast<float>(1 + random.below(uint64_t{1} << random.below(most_power)));
  };
  TritonColumns columns;
  for (size_t i = 0; i < kTritonColumns; ++i) {
    columns.bm[i] = draw(9);
    columns.bn[i] = draw(9);
    columns.bk[i] = draw(8);
    columns.group[i] = draw(5);
    columns.stages[i] = draw(4);
    columns.warps[i] = draw(5);
    columns.split[i] = draw(5);
  }
  return columns;
}

std::vector<uint32_t> bits_of(GpuRows* rows, const Problem& problem, const TritonColumns& configs) {
  const GpuTask task = *GpuTask::make(task_of(problem, h100()));
  const FeatureTable& table = feature_table(DeviceKind::kGpu);
  std::vector<float> out((table.size() - table.problem_count) * kTritonColumns, -1);
  rows(reinterpret_cast<const float*>(&task), configs, kCount, out.data(), kTritonColumns);
  std::vector<uint32_t> bits(out.size());
  std::memcpy(bits.data(), out.data(), out.size() * sizeof(float));
  return bits;
}

TEST(GpuRows, HaveTheSameBitsAtEveryWidth) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const auto size = [&] { return static_cast<int64_t>(1 + random.below(20'000)); };
    const Problem problem = Problem::mm(DType::kF16, size(), size(), size());
    const TritonColumns configs = drawn_columns(seed);
    const std::vector<uint32_t> expected = bits_of(runnable_gpu_rows().back(), problem, configs);
    for (GpuRows* rows : runnable_gpu_rows()) {
      EXPECT_EQ(bits_of(rows, problem, configs), expected) << seed;
    }
  }
}

}  // namespace
}  // namespace triode
