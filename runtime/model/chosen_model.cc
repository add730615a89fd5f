// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/chosen_model.h"

#include <optional>
#include <utility>

#include "runtime/model/shipped_models.h"

namespace triode {
namespace {

// Empty if none is promoted.
Result<std::optional<Snapshot>> promoted_snapshot(const ModelStore& store, DeviceKind kind) {
  const std::optional<std::string> digest = TRIODE_TRY(store.promoted(model_family(kind)));
  if (!digest) return std::optional<Snapshot>();
  const std::optional<std::string> bytes = TRIODE_TRY(store.snapshot(*digest));
  if (!bytes) return not_found("the model " + *digest + " is promoted, but not in the cache");
  Snapshot snapshot = TRIODE_TRY(read_snapshot(*bytes));
  if (snapshot.kind != kind) {
    return corrupt("the model promoted for " + model_family(kind) + " is for " +
                   model_family(snapshot.kind));
  }
  return std::optional(std::move(snapshot));
}

}  // namespace

std::string model_family(DeviceKind kind) {
  return std::string(to_string(kind));
}

Result<ChosenModel> chosen_model(const ModelStore* store, DeviceKind kind,
                                 const std::string& shipped_folder) {
  ChosenModel chosen;
  if (store != nullptr) {
    Result<std::optional<Snapshot>> promoted = promoted_snapshot(*store, kind);
    if (!promoted.ok()) {
      chosen.passed_over = promoted.status().message();
    } else if (promoted->has_value()) {
      chosen.snapshot = std::move(**promoted);
      chosen.is_promoted = true;
      return chosen;
    }
  }
  chosen.snapshot = TRIODE_TRY(load_snapshot(shipped_path(shipped_folder, shipped_name(kind))));
  return chosen;
}

}  // namespace triode
