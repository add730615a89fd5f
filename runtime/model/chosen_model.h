// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cache/model_store.h"
#include "core/status.h"
#include "learner/model/device_traits.h"
#include "learner/model/snapshot.h"

namespace triode {

// The model that a new process uses, and why it is that one.
struct ChosenModel {
  Snapshot snapshot;
  bool is_promoted = false;  // else it is the shipped one
  // Why the promoted one is not used, although there is one: damaged, or of another build's
  // features. Empty: it is, or there is none.
  std::string passed_over;
};

// The snapshot that is promoted for this kind of device, else the shipped one. `store` may be null:
// no cache. A promoted one that cannot be read is passed over, never an error: tuning goes on with
// what Triode came with. kNotFound if there is no shipped one either; the status of that file if it
// is damaged. Reads a file or a record; keep the result.
//
//   const ChosenModel model =
//       TRIODE_TRY(chosen_model(&cache->models(), DeviceKind::kCpu, shipped_models_folder()));
Result<ChosenModel> chosen_model(const ModelStore* store, DeviceKind kind,
                                 const std::string& shipped_folder);

// The name under which a store keeps what is in force for a kind of device: "cpu", "gpu".
std::string model_family(DeviceKind kind);

}  // namespace triode
