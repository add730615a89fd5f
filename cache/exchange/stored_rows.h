// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cache/exchange/exchange_format.h"
#include "cache/exchange/exchange_table.h"
#include "cache/keyed_trial.h"
#include "cache/trial_record.h"
#include "core/status.h"

namespace triode::exchange {

// Names in TrialRecord::extra of every imported trial, beside its format's own: the file it came
// from, and its place there.
inline constexpr const char* kSourceName = "source";
inline constexpr const char* kOrderName = kPlaceInSource;

// The rows of a file as trials to append, with the format as their origin. Appending those of the
// same file again adds nothing, and those of an edited one what is new in it.
std::vector<KeyedTrial> trials_of(const ExchangeTable& table, ExchangeFormat format,
                                  const std::string& source);

// A stored trial as a row. kCorrupt if its problem or config cannot be read.
Result<ExchangeRow> row_of(const SampleKey& key, const TrialRecord& record);

// Puts rows that came from files into the order that they had there, file by file; others follow,
// as they stood.
void restore_order(std::vector<ExchangeRow>& rows);

}  // namespace triode::exchange
