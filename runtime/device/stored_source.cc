// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/stored_source.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cache/exchange/device_text.h"
#include "cache/exchange/foreign_config.h"
#include "cache/validity.h"
#include "core/measurement.h"
#include "runtime/device/listed_source.h"

namespace triode {
namespace {

using exchange::ForeignConfig;
using exchange::ParameterValue;

// A trial whose config could be read.
struct ReadTrial {
  std::string text;  // of the config
  ForeignConfig config;
  TrialRecord record;
};

// The value as a config's text has it; one word whatever it holds.
std::string word_of(const ForeignConfig& config, const std::string& name) {
  const ParameterValue* value = config.find(name);
  if (value == nullptr) return "none";
  std::string text = to_string(ForeignConfig{"", {{name, *value}}}).substr(name.size() + 1);
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

// Empty if the config has no such whole number, or a Config no room for it.
std::optional<int32_t> number_of(const ForeignConfig& config, const std::string& name) {
  const ParameterValue* value = config.find(name);
  const auto* number = value == nullptr ? nullptr : std::get_if<int64_t>(value);
  if (number == nullptr || *number < std::numeric_limits<int32_t>::min() ||
      *number > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int32_t>(*number);
}

// The values that a parameter has in the trials: their numbers, or else the places of their words.
Parameter parameter_of(const std::vector<ReadTrial>& trials, const std::string& name) {
  std::set<int32_t> numbers;
  std::set<std::string> words;
  bool all_numbers = true;
  for (const ReadTrial& trial : trials) {
    const std::optional<int32_t> number = number_of(trial.config, name);
    if (number) numbers.insert(*number);
    all_numbers = all_numbers && number.has_value();
    words.insert(word_of(trial.config, name));
  }
  Parameter parameter{name, {}, {}};
  if (all_numbers) {
    parameter.values.assign(numbers.begin(), numbers.end());
    return parameter;
  }
  parameter.labels.assign(words.begin(), words.end());
  for (size_t i = 0; i < words.size(); ++i) parameter.values.push_back(static_cast<int32_t>(i));
  return parameter;
}

Result<Space> space_made_of(const std::vector<ReadTrial>& trials) {
  std::set<std::string> names;
  for (const ReadTrial& trial : trials) {
    for (const ForeignConfig::Parameter& parameter : trial.config.parameters) {
      names.insert(parameter.name);
    }
  }
  if (names.size() > Config::kMaxParameters) {
    return unsupported("the config \"" + trials.front().text + "\" has " +
                       std::to_string(names.size()) + " parameters; at most " +
                       std::to_string(Config::kMaxParameters) + " can be replayed");
  }
  Space space;
  for (const std::string& name : names) space.add(parameter_of(trials, name));
  return space;
}

Config config_in(const Space& space, const ForeignConfig& foreign) {
  Config config(space.parameters().size());
  for (size_t i = 0; i < config.size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    if (parameter.labels.empty()) {
      config[i] = *number_of(foreign, parameter.name);
      continue;
    }
    const auto found = std::lower_bound(parameter.labels.begin(), parameter.labels.end(),
                                        word_of(foreign, parameter.name));
    config[i] = static_cast<int32_t>(found - parameter.labels.begin());
  }
  return config;
}

// The times that half of the samples lie between reach as far again on either side.
ReplayedTrial replayed(const TrialRecord& record) {
  const Measurement& measured = record.measurement;
  return {record.outcome, measured.median_ns, measured.min_ns,
          measured.median_ns * (1 + 2 * measured.spread)};
}

std::optional<ReplayedTrial> vendor_of(const std::vector<ReadTrial>& trials) {
  std::vector<double> times;
  for (const ReadTrial& trial : trials) {
    const auto& vendor = trial.record.vendor;
    if (vendor && vendor->median_ns > 0) times.push_back(vendor->median_ns);
  }
  if (times.empty()) return std::nullopt;
  const auto [least, greatest] = std::minmax_element(times.begin(), times.end());
  return ReplayedTrial{{}, median_of(times), *least, *greatest};
}

// Trials of one problem, by the family of their kernel: empty for our own.
using ByFamily = std::map<std::string, std::vector<ReadTrial>>;

const std::vector<ReadTrial>& most_tried(const ByFamily& families) {
  return std::max_element(
             families.begin(), families.end(),
             [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); })
      ->second;
}

Result<ListedProblem> listed(const Problem& problem, const std::vector<ReadTrial>& trials,
                             const SpaceOf& space_of) {
  Space space = TRIODE_TRY(space_of ? space_of(problem) : space_made_of(trials));
  ListedProblem out{problem, nullptr};
  std::map<Config, int64_t> when;
  for (const ReadTrial& trial : trials) {
    Result<Config> config = space_of ? space.parse(trial.text) : config_in(space, trial.config);
    if (!config.ok()) continue;
    const auto [known, is_new] = when.emplace(*config, trial.record.when_unix_s);
    if (!is_new && trial.record.when_unix_s < known->second) continue;
    known->second = trial.record.when_unix_s;
    out.trials.insert_or_assign(*config, replayed(trial.record));
  }
  out.vendor = vendor_of(trials);
  out.space = std::make_shared<const Space>(std::move(space));
  return out;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

Result<std::shared_ptr<const ReplaySource>> make_stored_source(std::vector<KeyedTrial> trials,
                                                               std::string_view device,
                                                               const SpaceOf& space_of) {
  std::set<std::string> devices;
  std::optional<Target> target;
  std::vector<std::pair<Problem, ByFamily>> problems;
  std::map<std::string, size_t> positions;  // in problems, by text
  for (KeyedTrial& trial : trials) {
    const auto [name, _] = devices.insert(device_name(trial.key.device));
    if (*name != device) continue;
    const bool has_time = trial.record.measurement.count > 0;
    if (trial.record.outcome.ok() && !has_time) continue;
    const Result<Problem> problem = parse_problem(trial.key.problem);
    Result<ForeignConfig> config = exchange::parse_foreign_config(trial.key.config);
    if (!problem.ok() || !config.ok()) continue;
    if (!target) target = exchange::target_of(trial.key.device, trial.key.validity);
    const auto [at, is_new] = positions.emplace(trial.key.problem, problems.size());
    if (is_new) problems.push_back({*problem, {}});
    std::vector<ReadTrial>& alike = problems[at->second].second[config->family];
    alike.push_back(
        {std::move(trial.key.config), std::move(config).take(), std::move(trial.record)});
  }
  if (problems.empty()) {
    return not_found("nothing was tried on \"" + std::string(device) + "\"; there is " +
                     (devices.empty() ? "no trial of any device" : joined(devices)));
  }
  std::vector<ListedProblem> all;
  for (const auto& [problem, families] : problems) {
    all.push_back(TRIODE_TRY(listed(problem, most_tried(families), space_of)));
  }
  return make_listed_source(*std::move(target), std::move(all));
}

}  // namespace triode
