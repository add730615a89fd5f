// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/learned_models.h"

#include <cmath>
#include <optional>
#include <vector>

#include "runtime/model/chosen_model.h"

namespace triode {
namespace {

constexpr const char* kOrigin = "origin";
constexpr const char* kLearned = "learned";

bool is_learned(const ModelEntry& entry) {
  const auto origin = entry.notes.find(kOrigin);
  return origin != entry.notes.end() && origin->second == kLearned;
}

// A model that cannot be dropped stays: it is in force.
Status drop_oldest(ModelStore& store, const std::string& family, size_t most_kept) {
  std::vector<ModelEntry> learned;
  for (const ModelEntry& entry : TRIODE_TRY(store.list())) {
    if (entry.family == family && is_learned(entry)) learned.push_back(entry);
  }
  for (size_t i = 0; i + most_kept < learned.size(); ++i) {
    (void)store.drop(learned[i].digest);
  }
  return {};
}

}  // namespace

bool is_better(const GateVerdict& verdict, const LearnedModelRule& rule) {
  double log_gain = 0;
  for (const DeviceRegret& device : verdict.devices) {
    log_gain += std::log(device.current / device.candidate);
  }
  return verdict.passed && log_gain > std::log1p(rule.least_gain);
}

Result<std::string> promote_learned(ModelStore& store, const Snapshot& snapshot,
                                    const std::string& parent, const GateVerdict& verdict,
                                    int64_t now_unix_s, const LearnedModelRule& rule) {
  const std::string family = model_family(snapshot.kind);
  const std::string digest =
      TRIODE_TRY(store.put(family, write_snapshot(snapshot), now_unix_s,
                           {{kOrigin, kLearned}, {"parent", parent}, {"gate", verdict.reason}}));
  TRIODE_TRY(store.promote(digest));
  TRIODE_TRY(drop_oldest(store, family, rule.most_kept));
  return digest;
}

int64_t learned_until(const ModelStore& store, DeviceKind kind) {
  const auto digest = store.promoted(model_family(kind));
  if (!digest.ok() || !digest->has_value()) return 0;
  const auto entry = store.entry(**digest);
  if (!entry.ok() || !entry->has_value() || !is_learned(**entry)) return 0;
  return (*entry)->made_unix_s;
}

}  // namespace triode
