// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/learner_subject.h"

#include <cmath>
#include <optional>
#include <utility>

#include "core/random.h"
#include "jit/cuda/triton_space.h"
#include "jit/x86/gemm_space.h"
#include "learner/model/feature_table.h"

namespace triode::bench {
namespace {

Result<std::vector<Config>> drawn_configs(const Space& space, size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<Config> configs;
  while (configs.size() < count) {
    const std::optional<Config> config = space.sample(random);
    if (!config) return internal_error("a space without legal configs");
    configs.push_back(*config);
  }
  return configs;
}

DenseLayer drawn_layer(int32_t inputs, int32_t outputs, Random& random) {
  DenseLayer layer{inputs, outputs, {}, std::vector<float>(static_cast<size_t>(outputs), 0.1f)};
  const double scale = 2 / std::sqrt(static_cast<double>(inputs));
  for (int32_t i = 0; i < inputs * outputs; ++i) {
    layer.weights.push_back(static_cast<float>(scale * (random.uniform() - 0.5)));
  }
  return layer;
}

OnlineState wide_prior(size_t size) {
  OnlineState state;
  state.mean.assign(size, 0);
  state.covariance.assign(size * size, 0);
  for (size_t i = 0; i < size; ++i) state.covariance[i * size + i] = 0.01;
  return state;
}

}  // namespace

Result<LearnerSubject> gpu_subject(size_t count, uint64_t seed) {
  LearnerSubject subject;
  subject.problem = Problem::mm(DType::kF16, 4096, 4096, 4096);
  subject.device = *find_gpu("a100");
  subject.space = TRIODE_TRY(cuda::triton_space(subject.problem, {}));
  subject.configs = TRIODE_TRY(drawn_configs(subject.space, count, seed));
  return subject;
}

Result<LearnerSubject> cpu_subject(size_t count, uint64_t seed) {
  LearnerSubject subject;
  subject.problem = Problem::mm(DType::kF32, 512, 512, 512);
  subject.device.name = "avx2";
  subject.family = KernelFamily::kX86;
  constexpr x86::IsaId kIsas[] = {x86::IsaId::kAvx2};
  subject.space = TRIODE_TRY(x86::gemm_space(subject.problem, kIsas, 1));
  subject.configs = TRIODE_TRY(drawn_configs(subject.space, count, seed));
  return subject;
}

Snapshot drawn_snapshot(int32_t width, uint64_t seed) {
  const FeatureTable& table = feature_table(DeviceKind::kGpu);
  Random random(seed);
  Snapshot snapshot;
  snapshot.name = "drawn";
  snapshot.schema_hash = table.schema_hash;
  Net net;
  for (size_t i = 0; i < table.size(); ++i) {
    snapshot.feature_names.emplace_back(table.features[i].name);
    net.inputs.push_back(static_cast<uint16_t>(i));
  }
  snapshot.standardisation.mean.assign(table.size(), 3);
  snapshot.standardisation.inverse_std.assign(table.size(), 0.25f);
  auto inputs = static_cast<int32_t>(table.size());
  for (const int32_t outputs : {width, width, width, 1}) {
    net.layers.push_back(drawn_layer(inputs, outputs, random));
    inputs = outputs;
  }
  snapshot.nets = {std::move(net)};
  snapshot.online = wide_prior(static_cast<size_t>(width));
  snapshot.support.devices = {"a100"};
  snapshot.support.families = {KernelFamily::kTriton};
  snapshot.support.ops = {Op::kMm};
  snapshot.support.dtypes = {DType::kF16};
  snapshot.support.problem_least.assign(table.problem_count, -64);
  snapshot.support.problem_greatest.assign(table.problem_count, 64);
  return snapshot;
}

}  // namespace triode::bench
