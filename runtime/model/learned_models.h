// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cache/model_store.h"
#include "core/status.h"
#include "learner/model/shadow_gate.h"
#include "learner/model/snapshot.h"

namespace triode {

struct LearnedModelRule {
  // Regret that the candidate must be better by, on the devices it was judged on together, to be
  // put in force: a gate lets pass what loses nothing, and without this every start of a tuner
  // would make another model that is no better.
  double least_gain = 0.001;
  // Learned models that stay in the store, the one in force among them, so that a promotion can be
  // undone. More take 300 KB each.
  size_t most_kept = 8;
};

// Whether it is worth a place in the store: it passed, and is better by more than the rule asks.
bool is_better(const GateVerdict& verdict, const LearnedModelRule& rule);

// Keeps a model that was learned here and puts it in force for its kind of device; what was in
// force can be put back by `triode model promote --undo`. `parent` is the digest it began from. The
// oldest learned ones beyond the rule's number go. Returns its digest. The same errors as
// ModelStore's.
Result<std::string> promote_learned(ModelStore& store, const Snapshot& snapshot,
                                    const std::string& parent, const GateVerdict& verdict,
                                    int64_t now_unix_s, const LearnedModelRule& rule = {});

// When the model in force was made, if it was learned here: trials up to then are in it already. 0
// for one that was not.
int64_t learned_until(const ModelStore& store, DeviceKind kind);

}  // namespace triode
