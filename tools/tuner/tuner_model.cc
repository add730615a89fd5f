// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/tuner_model.h"

#include <utility>

#include "learner/model/snapshot.h"
#include "runtime/model/chosen_model.h"
#include "runtime/model/shipped_models.h"

namespace triode::tuner {
namespace {

Result<std::shared_ptr<const CostModel>> make_model(Snapshot snapshot) {
  return std::make_shared<const CostModel>(TRIODE_TRY(CostModel::make(std::move(snapshot))));
}

}  // namespace

Result<std::shared_ptr<const CostModel>> load_tuner_model(const std::string& file_or_none,
                                                          const ModelStore* store) {
  if (file_or_none == "none") return std::shared_ptr<const CostModel>();
  if (file_or_none.empty()) {
    auto chosen = chosen_model(store, DeviceKind::kCpu, shipped_models_folder());
    if (chosen.ok()) return make_model(std::move(chosen).take().snapshot);
    if (chosen.status().code() == StatusCode::kNotFound) return std::shared_ptr<const CostModel>();
    return chosen.status();
  }
  Snapshot snapshot = TRIODE_TRY(load_snapshot(file_or_none));
  if (snapshot.kind != DeviceKind::kCpu) {
    return unsupported(file_or_none + " is a model of a gpu; the tuner ranks kernels of the cpu");
  }
  return make_model(std::move(snapshot));
}

}  // namespace triode::tuner
