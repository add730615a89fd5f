// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "learner/model/device_traits.h"
#include "learner/model/snapshot.h"

namespace triode {

// Where the models lie that come with Triode: ../share/triode/snapshots of the running program. A
// program of somebody else's, as the Python interpreter, knows better and passes a folder.
std::string shipped_models_folder();

// Paths of the snapshots in a folder, by name; none if there is no such folder.
std::vector<std::string> shipped_models(const std::string& folder);

// The shipped model for a kind of device: "cpu-x86", "gpu".
std::string_view shipped_name(DeviceKind kind);
std::string shipped_path(const std::string& folder, std::string_view name);

// The shipped snapshot of that name, else the one in the file: a word without a slash means the
// same model wherever a program runs, and "./gpu" a file beside it. kNotFound says where it was
// looked for.
Result<Snapshot> find_snapshot(const std::string& path_or_name,
                               const std::string& folder = shipped_models_folder());

}  // namespace triode
