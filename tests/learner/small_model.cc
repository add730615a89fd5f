// SPDX-License-Identifier: Apache-2.0
#include "tests/learner/small_model.h"

#include <cmath>
#include <cstdlib>

#include "core/random.h"
#include "learner/model/feature_table.h"

namespace triode {

const Space& triton_like_space() {
  static const Space kSpace = [] {
    Space space;
    space.add({"block_m", {16, 64, 128}, {}});
    space.add({"block_n", {16, 32, 64, 128}, {}});
    space.add({"block_k", {16, 32, 64}, {}});
    space.add({"num_stages", {1, 3, 5, 8}, {}});
    space.add({"num_warps", {2, 4, 8}, {}});
    return space;
  }();
  return kSpace;
}

std::vector<Config> all_configs() {
  return triton_like_space().enumerate();
}

Config triton_config(int32_t m, int32_t n, int32_t k, int32_t stages, int32_t warps) {
  Config config(5);
  config[0] = m;
  config[1] = n;
  config[2] = k;
  config[3] = stages;
  config[4] = warps;
  return config;
}

const DeviceTraits& a100() {
  static const DeviceTraits kTraits = *find_gpu("a100");
  return kTraits;
}
const DeviceTraits& h100() {
  static const DeviceTraits kTraits = *find_gpu("h100");
  return kTraits;
}

RankingTask task_of(const Problem& problem, const DeviceTraits& device) {
  return {problem, triton_like_space(), device, KernelFamily::kInductor};
}

Net drawn_net(NetRole role, uint64_t seed, int32_t width) {
  const FeatureTable& table = feature_table(DeviceKind::kGpu);
  Net net;
  net.role = role;
  const size_t readable = role == NetRole::kVendor ? table.problem_count : table.size() - 7;
  for (uint16_t i = 0; i < readable; ++i) net.inputs.push_back(i);
  Random random(seed);
  auto inputs = static_cast<int32_t>(net.inputs.size());
  for (const int32_t outputs : {width, width, 1}) {
    DenseLayer layer{inputs, outputs, {}, {}};
    const double scale = 2 / std::sqrt(static_cast<double>(inputs));
    for (int32_t i = 0; i < inputs * outputs; ++i) {
      layer.weights.push_back(static_cast<float>(scale * (random.uniform() - 0.5)));
    }
    for (int32_t i = 0; i < outputs; ++i) {
      layer.bias.push_back(static_cast<float>(random.uniform() - 0.5));
    }
    net.layers.push_back(std::move(layer));
    inputs = outputs;
  }
  return net;
}

Snapshot small_snapshot(size_t rank_nets) {
  const FeatureTable& table = feature_table(DeviceKind::kGpu);
  Snapshot snapshot;
  snapshot.name = "small";
  snapshot.schema_hash = table.schema_hash;
  for (const FeatureDescription& feature : table.features) {
    snapshot.feature_names.emplace_back(feature.name);
  }
  snapshot.standardisation.mean.assign(table.size(), 3.0f);
  snapshot.standardisation.inverse_std.assign(table.size(), 0.25f);
  for (size_t i = 0; i < rank_nets; ++i) snapshot.nets.push_back(drawn_net(NetRole::kRank, i + 1));
  const auto basis = static_cast<size_t>(snapshot.nets.front().basis_size());
  snapshot.online.features = {static_cast<uint16_t>(*table.position_of("wg"))};
  snapshot.online.mean.assign(basis + 1, 0);
  snapshot.online.covariance.assign((basis + 1) * (basis + 1), 0);
  for (size_t i = 0; i <= basis; ++i) snapshot.online.covariance[i * (basis + 1) + i] = 0.25;
  snapshot.support.devices = {"a100"};
  snapshot.support.families = {KernelFamily::kInductor};
  snapshot.support.ops = {Op::kMm};
  snapshot.support.dtypes = {DType::kF16, DType::kF32};
  snapshot.support.problem_least.assign(table.problem_count, -30);
  snapshot.support.problem_greatest.assign(table.problem_count, 30);
  for (const char* size : {"log2_m", "log2_n", "log2_k"}) {
    snapshot.support.problem_greatest[*table.position_of(size)] = 16;
  }
  snapshot.training_digest = std::string(64, 'a');
  snapshot.card = "# A small model\n\nWeights are drawn, not trained.\n";
  return snapshot;
}

std::shared_ptr<const CostModel> model_of(Snapshot snapshot) {
  Result<CostModel> model = CostModel::make(std::move(snapshot));
  if (!model.ok()) std::abort();
  return std::make_shared<const CostModel>(std::move(model).take());
}

}  // namespace triode
