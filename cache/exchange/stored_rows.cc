// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/stored_rows.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cache/exchange/device_text.h"
#include "cache/key_codec.h"
#include "cache/record_codec.h"

namespace triode::exchange {
namespace {

// Rows without a place come last.
std::tuple<bool, std::string, int64_t> place_of(const ExchangeRow& row) {
  const auto source = row.extra.find(kSourceName);
  const auto order = row.extra.find(kOrderName);
  if (source == row.extra.end() || order == row.extra.end()) return {true, "", 0};
  return {false, source->second, std::strtoll(order->second.c_str(), nullptr, 10)};
}

// The whole trial as text, to find those alike.
std::string text_of(const KeyedTrial& trial) {
  const Result<std::string> record = encode_record(trial.record);
  return sample_prefix(trial.key) + (record.ok() ? *record : "");
}

}  // namespace

std::vector<KeyedTrial> trials_of(const ExchangeTable& table, ExchangeFormat format,
                                  const std::string& source) {
  std::vector<KeyedTrial> trials;
  trials.reserve(table.rows.size());
  std::unordered_map<std::string, int64_t> alike;
  for (const ExchangeRow& row : table.rows) {
    KeyedTrial& trial = trials.emplace_back();
    trial.key = {device_of(row.target), to_string(row.problem), to_string(row.config),
                 validity_of(row.target)};
    trial.record.outcome = row.outcome;
    trial.record.measurement = row.measurement;
    trial.record.when_unix_s = row.when_unix_s;
    trial.record.origin = to_string(format);
    trial.record.extra = row.extra;
    trial.record.extra[kSourceName] = source;
    const int64_t copy = alike[text_of(trial)]++;
    if (copy > 0) trial.record.extra[kCopyInSource] = std::to_string(copy);
    trial.record.extra[kOrderName] = std::to_string(trials.size() - 1);
  }
  return trials;
}

Result<ExchangeRow> row_of(const SampleKey& key, const TrialRecord& record) {
  ExchangeRow row;
  Result<Problem> problem = parse_problem(key.problem);
  Result<ForeignConfig> config = parse_foreign_config(key.config);
  if (!problem.ok()) return corrupt("the problem of a stored trial: " + problem.status().message());
  if (!config.ok()) return corrupt("the config of a stored trial: " + config.status().message());
  row.target = target_of(key.device, key.validity);
  row.problem = *problem;
  row.config = std::move(config).take();
  row.outcome = record.outcome;
  row.measurement = record.measurement;
  row.when_unix_s = record.when_unix_s;
  row.trials = record.trials;
  row.extra = record.extra;
  return row;
}

void restore_order(std::vector<ExchangeRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const ExchangeRow& a, const ExchangeRow& b) {
    return place_of(a) < place_of(b);
  });
}

}  // namespace triode::exchange
