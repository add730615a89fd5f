// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/usable_cores.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace triode {
namespace {

namespace fs = std::filesystem;

// Quota over period of one cgroup; empty if the files are not there or set no limit ("max", -1).
std::optional<double> limit_v2(const fs::path& folder) {
  std::ifstream file(folder / "cpu.max");
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<double> limit_v1(const fs::path& folder) {
  std::ifstream quota_file(folder / "cpu.cfs_quota_us");
  std::ifstream period_file(folder / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) {
    return std::nullopt;
  }
  return quota / period;
}

// The tightest limit from `cgroup` up to the top of the hierarchy mounted at `mount`. A path that
// is not there is passed over: in a container the mount often shows only part of the path.
template <typename ReadLimit>
std::optional<double> tightest_limit(const fs::path& mount, const std::string& cgroup,
                                     ReadLimit read_limit) {
  std::optional<double> tightest;
  for (fs::path path = fs::path(cgroup).relative_path();; path = path.parent_path()) {
    const std::optional<double> limit = read_limit(mount / path);
    if (limit && (!tightest || *limit < *tightest)) tightest = limit;
    if (path.empty()) return tightest;
  }
}

bool names_cpu_controller(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

// One line of /proc/self/cgroup: "hierarchy:controllers:path", no controllers on v2.
std::optional<double> limit_of_line(const fs::path& root, const std::string& line) {
  const size_t first = line.find(':');
  const size_t second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  const std::string cgroup = line.substr(second + 1);
  const fs::path mounts = root / "sys/fs/cgroup";
  if (controllers.empty()) return tightest_limit(mounts, cgroup, limit_v2);
  if (!names_cpu_controller(controllers)) return std::nullopt;
  return tightest_limit(mounts / controllers, cgroup, limit_v1);
}

int32_t cores_in_affinity_mask() {
  // The kernel refuses a mask shorter than its own; 2^20 cores are beyond any of today's.
  for (size_t cores = 1024; cores <= (size_t{1} << 20); cores *= 2) {
    std::vector<cpu_set_t> mask(cores / CPU_SETSIZE);
    const size_t size_bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, size_bytes, mask.data()) == 0) {
      return CPU_COUNT_S(size_bytes, mask.data());
    }
    if (errno != EINVAL) break;
  }
  return static_cast<int32_t>(std::thread::hardware_concurrency());
}

}  // namespace

std::optional<double> cgroup_core_limit(const fs::path& root) {
  std::optional<double> tightest;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::optional<double> limit = limit_of_line(root, line);
    if (limit && (!tightest || *limit < *tightest)) tightest = limit;
  }
  return tightest;
}

int32_t usable_cores() {
  int32_t cores = std::max(1, cores_in_affinity_mask());
  if (const std::optional<double> limit = cgroup_core_limit()) {
    cores = static_cast<int32_t>(std::clamp(std::floor(*limit), 1.0, static_cast<double>(cores)));
  }
  return cores;
}

}  // namespace triode
