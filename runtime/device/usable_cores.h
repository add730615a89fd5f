// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace triode {

// Cores the cgroups of this process let it keep busy, quota over period, the tightest of the cgroup
// and all that hold it; empty if none sets a limit. Reads cgroup v1 and v2 files below `root`.
std::optional<double> cgroup_core_limit(const std::filesystem::path& root = "/");

// Cores this process may use at once: its affinity mask, and the whole cores of its cgroup limit (a
// thread on a fraction of a core would be throttled and hold up the rest). At least 1. Reads files:
// ask once, not per call.
int32_t usable_cores();

}  // namespace triode
