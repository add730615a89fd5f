// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/cpu_snapshot.h"

#include <algorithm>
#include <cstddef>

#include "learner/model/feature_table.h"
#include "tests/learner/small_model.h"

namespace triode::tuner {

Snapshot cpu_snapshot(const DeviceTraits& device, size_t rank_nets) {
  const FeatureTable& table = feature_table(DeviceKind::kCpu);
  Snapshot snapshot = small_snapshot(rank_nets);
  snapshot.kind = DeviceKind::kCpu;
  snapshot.schema_hash = table.schema_hash;
  snapshot.feature_names.clear();
  for (const FeatureDescription& feature : table.features) {
    snapshot.feature_names.emplace_back(feature.name);
  }
  snapshot.standardisation.mean.assign(table.size(), 0.0f);
  snapshot.standardisation.inverse_std.assign(table.size(), 0.25f);
  for (Net& net : snapshot.nets) {
    const size_t inputs = std::min(net.inputs.size(), table.size());
    net.inputs.resize(inputs);
    net.layers.front().weights.resize(inputs * static_cast<size_t>(net.layers.front().outputs));
    net.layers.front().inputs = static_cast<int32_t>(inputs);
  }
  snapshot.online.features = {static_cast<uint16_t>(table.size() - 1)};
  snapshot.support.devices = {device.name};
  snapshot.support.families = {KernelFamily::kX86};
  snapshot.support.dtypes = {DType::kF32};
  snapshot.support.problem_least.assign(table.problem_count, -99);
  snapshot.support.problem_greatest.assign(table.problem_count, 99);
  return snapshot;
}

}  // namespace triode::tuner
