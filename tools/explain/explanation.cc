// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/explanation.h"

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "cache/validity.h"
#include "core/key.h"
#include "core/random.h"
#include "core/target_text.h"
#include "learner/model/cost_model.h"
#include "learner/model/feature_extractor.h"
#include "runtime/device/cpu_device.h"
#include "runtime/host/kept_plans.h"
#include "runtime/model/chosen_model.h"
#include "tools/report/predictions.h"

namespace triode::explain_tool {
namespace {

// Configs besides those timed that the model is asked about: enough to see where its favourite
// stands, ranked in a fraction of a millisecond.
constexpr size_t kDrawn = 512;
constexpr size_t kFavourites = 5;

// What another target has that this one has not. Names of devices say it all.
std::string difference(const Target& other, const Target& here) {
  if (other.device != here.device) return "another device";
  std::string text;
  const auto note = [&](const std::string& what, const auto& there, const auto& now) {
    if (there == now) return;
    std::ostringstream field;
    field << what << ' ' << there << ", here " << now;
    text += (text.empty() ? "" : "; ") + field.str();
  };
  note("instructions", other.isa, here.isa);
  note("toolchain", other.toolchain, here.toolchain);
  note("driver", other.driver, here.driver);
  note("cores", other.cores, here.cores);
  note("l1 bytes", other.l1_bytes, here.l1_bytes);
  note("l2 bytes", other.l2_bytes, here.l2_bytes);
  note("l3 bytes", other.l3_bytes, here.l3_bytes);
  return text;
}

// As the cache has it of the race that published the plan; 0 if it has not.
Result<double> spread_of(const Cache& cache, const Target& target, const StoredPlan& plan) {
  const PlanKey key{.device = device_of(target),
                    .problem = plan.problem,
                    .vendor = {},
                    .threads = plan.problem.threads,
                    .validity = validity_of(target)};
  for (const StoredPlanRecord& kept : TRIODE_TRY(cache.plans().find(key))) {
    if (kept.record.config == plan.config && kept.record.code_digest == plan.code_digest &&
        kept.record.speedup == plan.speedup) {
      return kept.record.speedup_spread;
    }
  }
  return 0.0;
}

Status read_plans(const Cache* cache, const std::string& cache_folder, const Target& here,
                  Explanation& told) {
  const Result<PlanFile> file = read_plan_file(host::kept_plans_path(cache_folder));
  if (!file.ok()) {
    return file.status().code() == StatusCode::kNotFound ? Status() : file.status();
  }
  for (const PlanSection& section : file->sections) {
    const Result<Target> target = parse_fingerprint(section.target);
    for (const StoredPlan& plan : section.plans) {
      if (plan.problem != told.problem) continue;
      KeptPlan kept{.plan = plan, .target = section.target, .difference = "another machine"};
      if (target.ok()) {
        kept.difference = difference(*target, here);
        if (cache != nullptr) kept.speedup_spread = TRIODE_TRY(spread_of(*cache, *target, plan));
      }
      (kept.difference.empty() ? told.plans : told.plans_elsewhere).push_back(std::move(kept));
    }
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
  for (const KeptPlan& kept : told.plans) add_text(kept.plan.config);
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

bool Explanation::is_timed() const {
  return std::any_of(trials.begin(), trials.end(),
                     [this](const StoredTrial& trial) { return counts(trial); });
}

const report_tool::TunerEvent* Explanation::last_decision() const {
  const auto last = std::find_if(decisions.rbegin(), decisions.rend(), report_tool::is_decision);
  return last != decisions.rend() ? &*last : nullptr;
}

bool Explanation::is_searched_again() const {
  for (auto event = decisions.rbegin(); event != decisions.rend(); ++event) {
    if (report_tool::is_decision(*event)) return false;
    if (event->event == "search") return true;
  }
  return false;
}

std::string Explanation::chosen_config() const {
  if (!answering_plans().empty()) return answering_plans().front().plan.config;
  for (const StoredTrial& trial : trials) {
    if (counts(trial) && trial.record.outcome.ok()) return trial.config;
  }
  return favourites.empty() ? "" : favourites.front().config;
}

double Explanation::vendor_ns() const {
  double least = 0;
  const auto note = [&](double ns) {
    if (ns > 0 && (least == 0 || ns < least)) least = ns;
  };
  for (const KeptPlan& kept : answering_plans()) note(kept.plan.vendor_ns);
  for (const StoredTrial& trial : trials) {
    if (trial.record.vendor && counts(trial)) note(trial.record.vendor->median_ns);
  }
  return least;
}

Result<Explanation> explain(const Problem& problem, const Cache* cache,
                            const std::string& cache_folder, const std::string& shipped_folder) {
  const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
  const Target& target = device->target();
  const Result<Space> space = device->enumerate(problem);
  Explanation told;
  told.problem = problem;
  told.device = device_of(target);
  told.toolchain = target.toolchain;
  TRIODE_TRY(read_plans(cache, cache_folder, target, told));
  read_decisions(cache_folder, told);
  if (cache != nullptr) {
    told.trials = TRIODE_TRY(cache->measurements().find(told.device, problem, validity_of(target),
                                                        Priors::kAllDevices))
                      .trials;
  }
  if (!space.ok()) {
    const bool is_known =
        !told.plans_elsewhere.empty() || !told.trials.empty() || !told.decisions.empty();
    if (!is_known) return space.status();
    told.no_cpu_kernel = space.status().message();
    told.model_trouble = "it is asked about this machine's cpu here";
    return told;
  }
  told.space_size = report_tool::count_up_to(*space, kMostCounted);
  const Status asked = load_and_ask(cache, shipped_folder, target, *space, told);
  if (!asked.ok()) told.model_trouble = asked.message();
  return told;
}

}  // namespace triode::explain_tool
