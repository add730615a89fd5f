// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/tuner_model.h"

#include <utility>

#include "learner/model/snapshot.h"
#include "runtime/model/chosen_model.h"
#include "runtime/model/learned_models.h"
#include "runtime/model/shipped_models.h"

namespace triode::tuner {
namespace {

Result<TunerModel> make_model(Snapshot snapshot, std::string origin) {
  auto model = TRIODE_TRY(CostModel::make(std::move(snapshot)));
  return TunerModel{std::make_shared<const CostModel>(std::move(model)), std::move(origin)};
}

}  // namespace

Result<TunerModel> load_model_in_force(DeviceKind kind, const ModelStore* store) {
  auto chosen = chosen_model(store, kind, shipped_models_folder());
  if (!chosen.ok()) {
    return chosen.status().code() == StatusCode::kNotFound ? Result<TunerModel>(TunerModel{})
                                                           : chosen.status();
  }
  const bool is_promoted = chosen->is_promoted;
  TunerModel made = TRIODE_TRY(
      make_model(std::move(chosen).take().snapshot, is_promoted ? "promoted" : "shipped"));
  if (is_promoted) made.learned_until = learned_until(*store, kind);
  return made;
}

Result<TunerModel> load_tuner_model(const std::string& file_or_none, const ModelStore* store) {
  if (file_or_none == "none") return TunerModel{};
  if (file_or_none.empty()) return load_model_in_force(DeviceKind::kCpu, store);
  Snapshot snapshot = TRIODE_TRY(load_snapshot(file_or_none));
  if (snapshot.kind != DeviceKind::kCpu) {
    return unsupported(file_or_none + " is a model of a gpu; the tuner ranks kernels of the cpu");
  }
  return make_model(std::move(snapshot), "file");
}

}  // namespace triode::tuner
