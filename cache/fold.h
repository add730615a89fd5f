// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cache/trial_record.h"

namespace triode {

// One record for several trials of the same key. Neither the order of the trials nor folding some
// of them earlier changes the result, but for rounding:
//   outcome      of the latest trial; but a wrong result stays, for the same code once computed it
//   times        of the trials that were timed, pooled by their sample counts: the median is the
//                geometric mean of the medians, the spread that of all samples together (within
//                trials and between them), the minimum the least
//   vendor       pooled in the same way, weighted by the config's samples
//   when, clocks the latest known
//   origin       Triode's if one trial is, else the latest trial's
//   extra        of all; of two values for one name, the latest trial's
//   unknown      the latest trial's that has any
// `records` is not empty.
TrialRecord fold(std::span<const TrialRecord> records);

// Whether storing them folded loses nothing: both are Triode's own, with the same extra and unknown
// fields. Compaction leaves others apart: an imported trial is exported as it came.
bool may_fold(const TrialRecord& a, const TrialRecord& b);

// Smaller is better: ended ok, by median; then unstable, by median; then not timed.
bool is_better(const TrialRecord& a, const TrialRecord& b);

}  // namespace triode
