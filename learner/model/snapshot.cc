// SPDX-License-Identifier: Apache-2.0
#include "learner/model/snapshot.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "learner/model/feature_table.h"

namespace triode {
namespace {

Status check_schema(const Snapshot& snapshot, const FeatureTable& table) {
  if (snapshot.schema_hash == table.schema_hash && snapshot.feature_names.size() == table.size()) {
    return {};
  }
  const size_t shared = std::min(table.size(), snapshot.feature_names.size());
  for (size_t i = 0; i < shared; ++i) {
    if (snapshot.feature_names[i] == table.features[i].name) continue;
    return unsupported("the snapshot was trained with other features: number " + std::to_string(i) +
                       " is " + snapshot.feature_names[i] + ", here " +
                       std::string(table.features[i].name));
  }
  return unsupported("the snapshot was trained with " +
                     std::to_string(snapshot.feature_names.size()) +
                     " features of another definition, here are " + std::to_string(table.size()));
}

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

Status check_standardisation(const Standardisation& s, size_t count) {
  const bool sized = s.mean.size() == count && s.inverse_std.size() == count;
  const bool sane =
      all_finite(s.mean) && all_finite(s.inverse_std) && std::isfinite(s.clip) && s.clip > 0;
  if (sized && sane) return {};
  return invalid_argument("the snapshot's standardisation does not fit its features");
}

bool reads_config(const Net& net, size_t problem_count) {
  return net.inputs.back() >= problem_count ||
         net.skip_feature >= static_cast<int64_t>(problem_count);
}

Status check_nets(const Snapshot& snapshot, const FeatureTable& table) {
  size_t counts[4] = {};
  for (const Net& net : snapshot.nets) {
    TRIODE_TRY(net.validate(table.size()));
    ++counts[static_cast<size_t>(net.role)];
    if (net.role == NetRole::kVendor && reads_config(net, table.problem_count)) {
      return invalid_argument("the vendor net reads a feature of the config");
    }
    if (net.role == NetRole::kRank && net.layers.size() < 2) {
      return invalid_argument("a rank net needs a hidden layer");
    }
  }
  if (counts[0] == 0) return invalid_argument("the snapshot has no rank net");
  if (std::max({counts[1], counts[2], counts[3]}) > 1) {
    return invalid_argument("the snapshot has two nets for one role");
  }
  return {};
}

Status check_support(const TrainingSupport& support, size_t problem_count) {
  if (support.problem_least.size() == problem_count &&
      support.problem_greatest.size() == problem_count && all_finite(support.problem_least) &&
      all_finite(support.problem_greatest)) {
    return {};
  }
  return invalid_argument("the snapshot's support does not fit its features");
}

Status check_learned(const Snapshot& snapshot, size_t net_basis_size, size_t feature_count) {
  const std::vector<LearnedDevice>& learned = snapshot.learned;
  if (learned.size() > kMaxLearnedDevices) return invalid_argument("too many devices learned");
  for (size_t i = 0; i < learned.size(); ++i) {
    if (learned[i].device.empty() || (i > 0 && learned[i].device <= learned[i - 1].device)) {
      return invalid_argument("the devices that learned are not in the order of their names");
    }
    if (learned[i].state.features != snapshot.online.features) {
      return invalid_argument(learned[i].device + " learned with other features");
    }
    TRIODE_TRY(learned[i].state.validate(net_basis_size, feature_count));
  }
  return {};
}

Status file_error(const std::string& what, const std::string& path) {
  return not_found("cannot " + what + " " + path + ": " + std::strerror(errno));
}

}  // namespace

const OnlineState& Snapshot::online_of(std::string_view device) const {
  const auto found = std::lower_bound(
      learned.begin(), learned.end(), device,
      [](const LearnedDevice& one, std::string_view wanted) { return one.device < wanted; });
  return found != learned.end() && found->device == device ? found->state : online;
}

Status Snapshot::validate() const {
  const FeatureTable& table = feature_table(kind);
  TRIODE_TRY(check_schema(*this, table));
  TRIODE_TRY(check_standardisation(standardisation, table.size()));
  TRIODE_TRY(check_nets(*this, table));
  TRIODE_TRY(trees.validate(table.size()));
  if (shortlist < 1 || shortlist > 4096) return invalid_argument("an impossible shortlist");
  const auto first_rank = std::find_if(nets.begin(), nets.end(),
                                       [](const Net& net) { return net.role == NetRole::kRank; });
  const auto basis_size = static_cast<size_t>(first_rank->basis_size());
  TRIODE_TRY(online.validate(basis_size, table.size()));
  TRIODE_TRY(check_learned(*this, basis_size, table.size()));
  return check_support(support, table.problem_count);
}

Status save_snapshot(const Snapshot& snapshot, const std::string& path) {
  TRIODE_TRY(snapshot.validate());
  const std::string bytes = write_snapshot(snapshot);
  const std::string unfinished = path + ".unfinished";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return file_error("write", unfinished);
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) return file_error("replace", path);
  return {};
}

Result<Snapshot> load_snapshot(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return file_error("open", path);
  std::string bytes;
  char chunk[1 << 16];
  while (file.read(chunk, sizeof chunk) || file.gcount() > 0) {
    bytes.append(chunk, static_cast<size_t>(file.gcount()));
    if (bytes.size() > kMaxSnapshotBytes) return corrupt(path + " is too large for a snapshot");
  }
  Result<Snapshot> snapshot = read_snapshot(bytes);
  if (snapshot.ok()) return snapshot;
  return Status(snapshot.status().code(), path + ": " + snapshot.status().message());
}

}  // namespace triode
