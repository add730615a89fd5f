// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/sample_key.h"
#include "cache/trial_record.h"

namespace triode {

// A trial with all that identifies it.
struct KeyedTrial {
  SampleKey key;
  TrialRecord record;

  bool operator==(const KeyedTrial&) const = default;
};

}  // namespace triode
