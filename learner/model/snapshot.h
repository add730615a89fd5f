// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/sha256.h"
#include "core/status.h"
#include "learner/model/device_traits.h"
#include "learner/model/net.h"
#include "learner/model/online_state.h"
#include "learner/model/support.h"
#include "learner/model/tree_ensemble.h"

namespace triode {

// x' = clamp((x - mean) * inverse_std, -clip, clip), for each feature of the table. A feature that
// did not vary in training has inverse_std 1.
struct Standardisation {
  std::vector<float> mean;
  std::vector<float> inverse_std;
  float clip = 6;

  bool operator==(const Standardisation&) const = default;
};

// What was learned of one device since training.
struct LearnedDevice {
  std::string device;  // name of its DeviceTraits
  OnlineState state;

  bool operator==(const LearnedDevice&) const = default;
};

// A trained model as a value: everything that inference, online learning and a reader of its card
// need. Plain data; CostModel runs it.
struct Snapshot {
  DeviceKind kind = DeviceKind::kGpu;
  std::string name;                        // "gpu", "cpu-x86"
  uint64_t schema_hash = 0;                // FeatureTable::schema_hash it was trained with
  std::vector<std::string> feature_names;  // of that table, so that a reader can tell what differs
  Standardisation standardisation;
  // One kRank net at least. The first shortlists; if there are several, their mean re-ranks the
  // `shortlist` best. At most one of each other role.
  std::vector<Net> nets;
  int32_t shortlist = 64;
  TreeEnsemble trees;  // have their share in that re-ranking; may be empty
  OnlineState online;  // what every device begins with
  // Devices that have learned since, by name. What one learns leaves the others as they are.
  std::vector<LearnedDevice> learned;
  TrainingSupport support;
  std::string training_digest;  // sha256 of the training data, hexadecimal
  std::string card;             // model card, Markdown

  // What is known of a device by now: its own state, or what every device begins with.
  const OnlineState& online_of(std::string_view device) const;

  // Everything fits everything else, and the schema is this build's (kUnsupported, naming the first
  // feature that differs, if it is another's).
  Status validate() const;

  bool operator==(const Snapshot&) const = default;
};

// The file: magic, version, length, sections, each with a name and a length, then the sha256 of all
// that precedes. See docs/adr/0015-snapshot-file.md. Equal snapshots give equal bytes.
std::string write_snapshot(const Snapshot& snapshot);

// Reads and validates. Safe on any bytes: lengths are checked before anything is allocated, nothing
// is executed. kCorrupt if the bytes are damaged, kUnsupported for another version or schema.
Result<Snapshot> read_snapshot(std::string_view bytes);

// Identity: the sha256 at the end of its bytes, in hexadecimal.
std::string snapshot_digest(const Snapshot& snapshot);

// To and from a file. Writing replaces the file at once or not at all.
Status save_snapshot(const Snapshot& snapshot, const std::string& path);
Result<Snapshot> load_snapshot(const std::string& path);

// Most bytes a snapshot may have: what refuses a hostile length early.
inline constexpr size_t kMaxSnapshotBytes = size_t{64} << 20;
inline constexpr size_t kMaxLearnedDevices = 64;

}  // namespace triode
