// SPDX-License-Identifier: Apache-2.0
// The bytes of a snapshot file; docs/adr/0015-snapshot-file.md and 0037-online-state-per-device.md
// describe them.
#include <algorithm>
#include <bit>
#include <utility>

#include "learner/model/snapshot.h"
#include "learner/model/snapshot_bytes.h"

namespace triode {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "TRIODEML";
// Version 2 has a section of trees, version 3 one of devices that have learned, and trees that may
// be none. A snapshot is written in the first version that can hold it, so that its bytes, and its
// identity, stay what they were.
constexpr uint32_t kFirstVersion = 1;
constexpr uint32_t kVersionWithTrees = 2;
constexpr uint32_t kVersionWithDevices = 3;
constexpr size_t kDigestBytes = 32;
// Magic, version, length of the whole file.
constexpr size_t kHeaderBytes = 8 + sizeof(uint32_t) + sizeof(uint64_t);

// What no honest file exceeds.
constexpr uint64_t kMaxName = 256;
constexpr uint64_t kMaxFeatures = 1024;
constexpr uint64_t kMaxNets = 64;
constexpr uint64_t kMaxListed = 256;
constexpr uint64_t kMaxCard = 1 << 20;
constexpr uint64_t kMaxWeights = uint64_t{kMaxLayerWidth} * kMaxLayerWidth;

void write_strings(const std::vector<std::string>& strings, ByteWriter& out) {
  out.number(static_cast<uint64_t>(strings.size()));
  for (const std::string& text : strings) out.text(text);
}

Result<std::vector<std::string>> read_strings(uint64_t most, ByteReader& in) {
  const uint64_t count = TRIODE_TRY(in.length(most));
  std::vector<std::string> strings;
  for (uint64_t i = 0; i < count; ++i) strings.push_back(TRIODE_TRY(in.text(kMaxName)));
  return strings;
}

template <typename Enum>
void write_enums(const std::vector<Enum>& values, ByteWriter& out) {
  out.number(static_cast<uint64_t>(values.size()));
  for (const Enum value : values) out.number(static_cast<uint8_t>(value));
}

template <typename Enum>
Result<std::vector<Enum>> read_enums(Enum last, ByteReader& in) {
  std::vector<Enum> values;
  for (const uint8_t value : TRIODE_TRY(in.numbers<uint8_t>(kMaxListed))) {
    if (value > static_cast<uint8_t>(last)) return corrupt("the snapshot names an unknown value");
    values.push_back(static_cast<Enum>(value));
  }
  return values;
}

// Each section is a pair of functions; the table below gives them their names and their order.

void write_meta(const Snapshot& s, ByteWriter& out) {
  out.number(static_cast<uint8_t>(s.kind));
  out.text(s.name);
  out.text(s.training_digest);
  out.number(s.shortlist);
}
Status read_meta(ByteReader& in, Snapshot& s) {
  const auto kind = TRIODE_TRY(in.number<uint8_t>());
  if (kind > static_cast<uint8_t>(DeviceKind::kGpu)) return corrupt("an unknown kind of device");
  s.kind = static_cast<DeviceKind>(kind);
  s.name = TRIODE_TRY(in.text(kMaxName));
  s.training_digest = TRIODE_TRY(in.text(kMaxName));
  s.shortlist = TRIODE_TRY(in.number<int32_t>());
  return {};
}

void write_features(const Snapshot& s, ByteWriter& out) {
  out.number(s.schema_hash);
  write_strings(s.feature_names, out);
}
Status read_features(ByteReader& in, Snapshot& s) {
  s.schema_hash = TRIODE_TRY(in.number<uint64_t>());
  s.feature_names = TRIODE_TRY(read_strings(kMaxFeatures, in));
  return {};
}

void write_standardisation(const Snapshot& s, ByteWriter& out) {
  out.numbers(s.standardisation.mean);
  out.numbers(s.standardisation.inverse_std);
  out.number(s.standardisation.clip);
}
Status read_standardisation(ByteReader& in, Snapshot& s) {
  s.standardisation.mean = TRIODE_TRY(in.numbers<float>(kMaxFeatures));
  s.standardisation.inverse_std = TRIODE_TRY(in.numbers<float>(kMaxFeatures));
  s.standardisation.clip = TRIODE_TRY(in.number<float>());
  return {};
}

void write_nets(const Snapshot& s, ByteWriter& out) {
  out.number(static_cast<uint64_t>(s.nets.size()));
  for (const Net& net : s.nets) {
    out.number(static_cast<uint8_t>(net.role));
    out.number(static_cast<uint8_t>(net.activation));
    out.numbers(net.inputs);
    out.number(net.skip_feature);
    out.number(net.skip_weight);
    out.number(static_cast<uint64_t>(net.layers.size()));
    for (const DenseLayer& layer : net.layers) {
      out.number(layer.inputs);
      out.number(layer.outputs);
      out.numbers(layer.weights);
      out.numbers(layer.bias);
    }
  }
}
Result<Net> read_net(ByteReader& in) {
  Net net;
  net.role = static_cast<NetRole>(TRIODE_TRY(in.number<uint8_t>()));
  net.activation = static_cast<Activation>(TRIODE_TRY(in.number<uint8_t>()));
  net.inputs = TRIODE_TRY(in.numbers<uint16_t>(kMaxFeatures));
  net.skip_feature = TRIODE_TRY(in.number<int32_t>());
  net.skip_weight = TRIODE_TRY(in.number<float>());
  const uint64_t layers = TRIODE_TRY(in.length(kMaxLayers));
  for (uint64_t i = 0; i < layers; ++i) {
    DenseLayer layer;
    layer.inputs = TRIODE_TRY(in.number<int32_t>());
    layer.outputs = TRIODE_TRY(in.number<int32_t>());
    layer.weights = TRIODE_TRY(in.numbers<float>(kMaxWeights));
    layer.bias = TRIODE_TRY(in.numbers<float>(kMaxLayerWidth));
    net.layers.push_back(std::move(layer));
  }
  return net;
}
Status read_nets(ByteReader& in, Snapshot& s) {
  const uint64_t count = TRIODE_TRY(in.length(kMaxNets));
  for (uint64_t i = 0; i < count; ++i) s.nets.push_back(TRIODE_TRY(read_net(in)));
  return {};
}

void write_trees(const Snapshot& s, ByteWriter& out) {
  out.number(s.trees.depth);
  out.number(s.trees.share);
  out.numbers(s.trees.feature);
  out.numbers(s.trees.threshold);
  out.numbers(s.trees.leaf);
}
Status read_trees(ByteReader& in, Snapshot& s) {
  s.trees.depth = TRIODE_TRY(in.number<int32_t>());
  s.trees.share = TRIODE_TRY(in.number<float>());
  s.trees.feature = TRIODE_TRY(in.numbers<uint16_t>(kMaxTrees * kMaxTreeDepth));
  s.trees.threshold = TRIODE_TRY(in.numbers<float>(kMaxTrees * kMaxTreeDepth));
  s.trees.leaf = TRIODE_TRY(in.numbers<float>(kMaxTrees << kMaxTreeDepth));
  return {};
}

// Of the symmetric covariance, the lower triangle.
void write_state(const OnlineState& state, ByteWriter& out) {
  out.numbers(state.features);
  out.number(state.noise);
  out.number(state.updates);
  out.numbers(state.mean);
  for (size_t row = 0; row < state.size(); ++row) {
    for (size_t column = 0; column <= row; ++column) {
      out.number(state.covariance[row * state.size() + column]);
    }
  }
}
Result<OnlineState> read_state(ByteReader& in) {
  OnlineState state;
  state.features = TRIODE_TRY(in.numbers<uint16_t>(kMaxFeatures));
  state.noise = TRIODE_TRY(in.number<double>());
  state.updates = TRIODE_TRY(in.number<uint64_t>());
  state.mean = TRIODE_TRY(in.numbers<double>(kMaxBasis));
  const size_t size = state.size();
  state.covariance.resize(size * size);
  for (size_t row = 0; row < size; ++row) {
    for (size_t column = 0; column <= row; ++column) {
      const auto value = TRIODE_TRY(in.number<double>());
      state.covariance[row * size + column] = value;
      state.covariance[column * size + row] = value;
    }
  }
  return state;
}

void write_online(const Snapshot& s, ByteWriter& out) {
  write_state(s.online, out);
}
Status read_online(ByteReader& in, Snapshot& s) {
  s.online = TRIODE_TRY(read_state(in));
  return {};
}

void write_learned(const Snapshot& s, ByteWriter& out) {
  out.number(static_cast<uint64_t>(s.learned.size()));
  for (const LearnedDevice& one : s.learned) {
    out.text(one.device);
    write_state(one.state, out);
  }
}
Status read_learned(ByteReader& in, Snapshot& s) {
  const uint64_t count = TRIODE_TRY(in.length(kMaxLearnedDevices));
  for (uint64_t i = 0; i < count; ++i) {
    std::string device = TRIODE_TRY(in.text(kMaxName));
    s.learned.push_back({std::move(device), TRIODE_TRY(read_state(in))});
  }
  return {};
}

void write_support(const Snapshot& s, ByteWriter& out) {
  write_strings(s.support.devices, out);
  write_enums(s.support.families, out);
  write_enums(s.support.ops, out);
  write_enums(s.support.dtypes, out);
  out.numbers(s.support.problem_least);
  out.numbers(s.support.problem_greatest);
}
Status read_support(ByteReader& in, Snapshot& s) {
  s.support.devices = TRIODE_TRY(read_strings(kMaxListed, in));
  s.support.families = TRIODE_TRY(read_enums(KernelFamily::kNvrtc, in));
  s.support.ops = TRIODE_TRY(read_enums(Op::kAddmm, in));
  s.support.dtypes = TRIODE_TRY(read_enums(DType::kI32, in));
  s.support.problem_least = TRIODE_TRY(in.numbers<float>(kMaxFeatures));
  s.support.problem_greatest = TRIODE_TRY(in.numbers<float>(kMaxFeatures));
  return {};
}

void write_card(const Snapshot& s, ByteWriter& out) {
  out.text(s.card);
}
Status read_card(ByteReader& in, Snapshot& s) {
  s.card = TRIODE_TRY(in.text(kMaxCard));
  return {};
}

struct Section {
  std::string_view name;  // eight bytes
  void (*write)(const Snapshot&, ByteWriter&);
  Status (*read)(ByteReader&, Snapshot&);
  uint32_t since = kFirstVersion;  // version of the file
};

constexpr Section kSections[] = {
    {"meta    ", write_meta, read_meta},
    {"features", write_features, read_features},
    {"standard", write_standardisation, read_standardisation},
    {"nets    ", write_nets, read_nets},
    {"trees   ", write_trees, read_trees, kVersionWithTrees},
    {"online  ", write_online, read_online},
    {"learned ", write_learned, read_learned, kVersionWithDevices},
    {"support ", write_support, read_support},
    {"card    ", write_card, read_card},
};

uint32_t version_of(const Snapshot& snapshot) {
  if (!snapshot.learned.empty()) return kVersionWithDevices;
  return snapshot.trees.empty() ? kFirstVersion : kVersionWithTrees;
}

Status read_sections(ByteReader& in, uint32_t version, Snapshot& snapshot) {
  for (const Section& section : kSections) {
    if (section.since > version) continue;
    if (TRIODE_TRY(in.raw(section.name.size())) != section.name) {
      return corrupt("the section " + std::string(section.name) + " is not where it should be");
    }
    const uint64_t length = TRIODE_TRY(in.length(kMaxSnapshotBytes));
    ByteReader body(TRIODE_TRY(in.raw(length)));
    TRIODE_TRY(section.read(body, snapshot));
    if (!body.at_end()) {
      return corrupt("the section " + std::string(section.name) + " is longer than its content");
    }
  }
  if (!in.at_end()) return corrupt("the snapshot goes on after its last section");
  // What an earlier version holds is written in that one: equal snapshots have equal bytes.
  if (version != version_of(snapshot)) return corrupt("a section of the snapshot holds nothing");
  return {};
}

std::string_view as_text(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

std::string write_snapshot(const Snapshot& snapshot) {
  const uint32_t version = version_of(snapshot);
  ByteWriter sections;
  for (const Section& section : kSections) {
    if (section.since > version) continue;
    ByteWriter body;
    section.write(snapshot, body);
    sections.raw(section.name);
    sections.text(body.bytes());
  }
  ByteWriter out;
  out.raw(kMagic);
  out.number(version);
  out.number(static_cast<uint64_t>(kHeaderBytes + sections.bytes().size() + kDigestBytes));
  out.raw(sections.bytes());
  const Sha256Digest digest = sha256(out.bytes());
  out.raw(as_text(digest));
  return out.take();
}

Result<Snapshot> read_snapshot(std::string_view bytes) {
  ByteReader in(bytes);
  if (!bytes.starts_with(kMagic) || bytes.size() < kHeaderBytes + kDigestBytes) {
    return corrupt("this is not a snapshot of a model");
  }
  TRIODE_TRY(in.raw(kMagic.size()));
  const auto version = TRIODE_TRY(in.number<uint32_t>());
  if (version < kFirstVersion || version > kVersionWithDevices) {
    return unsupported("the snapshot has version " + std::to_string(version) +
                       ", this build reads versions up to " + std::to_string(kVersionWithDevices));
  }
  const auto length = TRIODE_TRY(in.number<uint64_t>());
  if (length != bytes.size() || length > kMaxSnapshotBytes) {
    return corrupt("the snapshot is cut short, or too long");
  }
  const std::string_view content = bytes.substr(0, bytes.size() - kDigestBytes);
  const Sha256Digest digest = sha256(content);
  if (as_text(digest) != bytes.substr(content.size())) {
    return corrupt("the snapshot's checksum is wrong: it was damaged");
  }
  ByteReader sections(content.substr(kHeaderBytes));
  Snapshot snapshot;
  TRIODE_TRY(read_sections(sections, version, snapshot));
  TRIODE_TRY(snapshot.validate());
  return snapshot;
}

std::string snapshot_digest(const Snapshot& snapshot) {
  const std::string bytes = write_snapshot(snapshot);
  return to_hex(sha256(std::string_view(bytes).substr(0, bytes.size() - kDigestBytes)));
}

}  // namespace triode
