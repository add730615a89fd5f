// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/explanation.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "cache/validity.h"
#include "core/key.h"
#include "core/random.h"
#include "learner/model/cost_model.h"
#include "learner/model/feature_extractor.h"
#include "runtime/device/cpu_device.h"
#include "runtime/host/kept_plans.h"
#include "runtime/model/chosen_model.h"

namespace triode::explain_tool {
namespace {

// Configs besides those timed that the model is asked about: enough to see where its favourite
// stands, ranked in a fraction of a millisecond.
constexpr size_t kDrawn = 512;
constexpr size_t kFavourites = 5;

Status read_plans(const std::string& cache_folder, const Target& target, Explanation& told) {
  const Result<PlanFile> file = read_plan_file(host::kept_plans_path(cache_folder));
  if (!file.ok()) {
    return file.status().code() == StatusCode::kNotFound ? Status() : file.status();
  }
  for (const StoredPlan& plan : file->plans_for(target)) {
    if (plan.problem == told.problem) told.plans.push_back(plan);
  }
  return {};
}

void read_decisions(const std::string& cache_folder, Explanation& told) {
  const std::string text = to_string(told.problem);
  for (report_tool::TunerEvent& event : report_tool::read_tuner_log(cache_folder)) {
    const auto problem = event.fields.find("problem");
    if (problem != event.fields.end() && problem->second == text) {
      told.decisions.push_back(std::move(event));
    }
  }
}

// What was timed, what runs, and random ones beside them; each once.
std::vector<Config> configs_to_rank(const Space& space, const Explanation& told) {
  std::set<uint64_t> seen;
  std::vector<Config> configs;
  const auto add = [&](const Config& config) {
    if (seen.insert(space.index_of(config)).second) configs.push_back(config);
  };
  const auto add_text = [&](const std::string& text) {
    const Result<Config> config = space.parse(text);
    if (config.ok()) add(*config);
  };
  for (const StoredPlan& plan : told.plans) add_text(plan.config);
  for (const StoredTrial& trial : told.trials) add_text(trial.config);
  Random random(hash_of(told.problem));
  for (size_t i = 0; i < kDrawn; ++i) {
    const std::optional<Config> drawn = space.sample(random);
    if (!drawn) break;
    add(*drawn);
  }
  return configs;
}

Result<std::vector<FeatureValue>> features_of(const RankingTask& task, const Config& config) {
  const FeatureExtractor extractor = TRIODE_TRY(FeatureExtractor::make(task));
  const FeatureTable& table = extractor.table();
  std::vector<float> values(table.size());
  extractor.extract({&config, 1}, values.data(), 1);
  std::vector<FeatureValue> features;
  for (size_t i = 0; i < table.size(); ++i) {
    const FeatureDescription& feature = table.features[i];
    features.push_back({std::string(feature.name), std::string(feature.formula),
                        std::string(feature.unit), values[i]});
  }
  return features;
}

// The model's word on the problem, in `told`.
Status ask_model(const CostModel& model, const Target& target, const Space& space,
                 Explanation& told) {
  const DeviceTraits traits = TRIODE_TRY(traits_of(target));
  const RankingTask task{told.problem, space, traits, KernelFamily::kX86};
  const std::vector<Config> configs = configs_to_rank(space, told);
  const Ranking ranking = TRIODE_TRY(model.rank(task, configs));
  told.ranked = configs.size();
  told.support = std::string(to_string(ranking.support.support));
  if (!ranking.support.reason.empty()) told.support += ": " + ranking.support.reason;
  const Result<std::vector<double>> seconds = model.level(task, configs);
  const auto predicted = [&](size_t place) {
    const Candidate& candidate = ranking.candidates[place];
    const double ns = seconds.ok() ? 1e9 * (*seconds)[candidate.index] : 0;
    return Prediction{space.to_string(configs[candidate.index]), ns, candidate.stddev, place + 1};
  };
  for (size_t i = 0; i < std::min(kFavourites, ranking.candidates.size()); ++i) {
    told.favourites.push_back(predicted(i));
  }
  const Result<Config> chosen = space.parse(told.chosen_config());
  if (!chosen.ok()) return {};  // of another build: there is nothing to say of its code
  for (size_t i = 0; i < ranking.candidates.size(); ++i) {
    if (configs[ranking.candidates[i].index] == *chosen) told.of_the_choice = predicted(i);
  }
  told.features = TRIODE_TRY(features_of(task, *chosen));
  return {};
}

Status load_and_ask(const Cache* cache, const std::string& shipped_folder, const Target& target,
                    const Space& space, Explanation& told) {
  const ModelStore* store = cache != nullptr ? &cache->models() : nullptr;
  ChosenModel chosen = TRIODE_TRY(chosen_model(store, DeviceKind::kCpu, shipped_folder));
  const CostModel model = TRIODE_TRY(CostModel::make(std::move(chosen.snapshot)));
  told.model = model.snapshot().name + (chosen.is_promoted ? ", promoted, " : ", shipped, ") +
               model.digest().substr(0, 16);
  return ask_model(model, target, space, told);
}

}  // namespace

std::string Explanation::chosen_config() const {
  if (!plans.empty()) return plans.front().config;
  for (const StoredTrial& trial : trials) {
    if (!trial.is_prior() && trial.record.outcome.ok()) return trial.config;
  }
  return favourites.empty() ? "" : favourites.front().config;
}

double Explanation::vendor_ns() const {
  double least = 0;
  const auto note = [&](double ns) {
    if (ns > 0 && (least == 0 || ns < least)) least = ns;
  };
  for (const StoredPlan& plan : plans) note(plan.vendor_ns);
  for (const StoredTrial& trial : trials) {
    if (trial.record.vendor && !trial.is_prior()) note(trial.record.vendor->median_ns);
  }
  return least;
}

Result<Explanation> explain(const Problem& problem, const Cache* cache,
                            const std::string& cache_folder, const std::string& shipped_folder) {
  const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
  const Target& target = device->target();
  const Space space = TRIODE_TRY(device->enumerate(problem));
  Explanation told;
  told.problem = problem;
  told.device = device_of(target);
  told.toolchain = target.toolchain;
  told.space_size = space.count_legal();
  TRIODE_TRY(read_plans(cache_folder, target, told));
  read_decisions(cache_folder, told);
  if (cache != nullptr) {
    told.trials = TRIODE_TRY(cache->measurements().find(told.device, problem, validity_of(target),
                                                        Priors::kAllDevices))
                      .trials;
  }
  const Status asked = load_and_ask(cache, shipped_folder, target, space, told);
  if (!asked.ok()) told.model_trouble = asked.message();
  return told;
}

}  // namespace triode::explain_tool
