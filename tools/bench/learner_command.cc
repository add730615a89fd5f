// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/learner_command.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>

#include "core/measurement.h"
#include "learner/model/bayesian_layer.h"
#include "learner/model/block_kernels.h"
#include "learner/model/feature_extractor.h"
#include "runtime/device/cpu_device.h"
#include "runtime/device/interleaved_timer.h"
#include "tools/bench/command_line.h"
#include "tools/bench/device_json.h"
#include "tools/bench/learner_subject.h"
#include "tools/bench/machine_limits.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kConfigs = 1000;
constexpr size_t kTimings = 3;  // of a batch that is learned

struct Options : StandardOptions {
  std::uint64_t seed = 1;
  int rounds = 201;
  int width = 64;
  std::string model;
};

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app;
  declare_standard(app, options);
  app.add_option("--seed", options.seed);
  app.add_option("--rounds", options.rounds)->check(CLI::Range(3, 100'000));
  app.add_option("--width", options.width)->check(CLI::Range(1, 256));
  app.add_option("--model", options.model);
  TRIODE_TRY(parse(app, arguments));
  return options;
}

struct Contender {
  std::string figure;
  std::string what;
  std::function<void()> call;
};

// Everything that is timed, made once.
class LearnerBench {
 public:
  static Result<std::unique_ptr<LearnerBench>> make(const Options& options) {
    std::unique_ptr<LearnerBench> bench(new LearnerBench);
    Snapshot snapshot = options.model.empty() ? drawn_snapshot(options.width, options.seed)
                                              : TRIODE_TRY(load_snapshot(options.model));
    bench->model_ =
        std::make_shared<const CostModel>(TRIODE_TRY(CostModel::make(std::move(snapshot))));
    bench->gpu_ = TRIODE_TRY(gpu_subject(kConfigs, options.seed));
    bench->cpu_ = TRIODE_TRY(cpu_subject(kConfigs, options.seed));
    // A model that knows Inductor's template alone ranks the same configs as that one's.
    const auto& families = bench->model_->snapshot().support.families;
    const bool is_cpu = bench->model_->snapshot().kind == DeviceKind::kCpu;
    bench->ranked_ = is_cpu ? &bench->cpu_ : &bench->gpu_;
    if (!families.empty()) bench->ranked_->family = families.front();
    bench->gpu_features_.emplace(TRIODE_TRY(FeatureExtractor::make(bench->gpu_.task())));
    bench->cpu_features_.emplace(TRIODE_TRY(FeatureExtractor::make(bench->cpu_.task())));
    TRIODE_TRY(bench->model_->rank(bench->ranked_->task(), bench->ranked_->configs));
    TRIODE_TRY(bench->prepare_update());
    return bench;
  }

  std::vector<Contender> contenders() {
    return {{"features_us_1000", "features of 1,000 gpu configs",
             [this] { extract(*gpu_features_, gpu_); }},
            {"cpu_features_us_1000", "features of 1,000 cpu configs",
             [this] { extract(*cpu_features_, cpu_); }},
            {"evaluate_us_1000", "features and one net for 1,000 configs",
             [this] { (void)model_->evaluate(ranked_->task(), ranked_->configs, 0); }},
            {"rank_us_1000", "a ranking of 1,000 configs, features and all",
             [this] { (void)model_->rank(ranked_->task(), ranked_->configs); }},
            {"update_us", "an update by three timings", [this] { update(); }}};
  }
  const CostModel& model() const { return *model_; }

 private:
  LearnerBench() = default;

  Status prepare_update() {
    layer_.emplace(model_->snapshot().online);
    rows_ = TRIODE_TRY(model_->basis(ranked_->task(), std::span(ranked_->configs).first(kTimings)));
    return {};
  }
  void extract(const FeatureExtractor& extractor, const LearnerSubject& subject) {
    columns_.resize(extractor.table().size() * kConfigs);
    extractor.extract(subject.configs, columns_.data(), kConfigs);
  }
  // Goes on from the state it left: an update takes the same time whatever it has learned.
  void update() {
    constexpr double kResiduals[kTimings] = {0.01, -0.02, 0.03};
    layer_->update(rows_, kResiduals);
  }

  std::shared_ptr<const CostModel> model_;
  LearnerSubject gpu_, cpu_;
  LearnerSubject* ranked_ = nullptr;  // the one that the model is for
  std::optional<FeatureExtractor> gpu_features_, cpu_features_;
  std::vector<float> columns_, rows_;
  std::optional<BayesianLayer> layer_;
};

Json figure_json(const Contender& contender, const std::vector<double>& ns) {
  std::vector<double> us;
  for (const double sample : ns) us.push_back(sample * 1e-3);
  return {{"what", contender.what},
          {"median_us", median_of(us)},
          {"spread", spread_of(us)},
          {"samples_us", us}};
}

Result<Json> measure(const Options& options) {
  const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
  const std::unique_ptr<LearnerBench> bench = TRIODE_TRY(LearnerBench::make(options));
  const double mhz_begin = reported_clock_mhz();
  const std::vector<Contender> contenders = bench->contenders();
  std::vector<std::function<void()>> calls;
  for (const Contender& contender : contenders) calls.push_back(contender.call);
  InterleavedOptions timing;
  timing.budget = std::chrono::seconds(60);
  timing.target_spread = 0;
  timing.min_rounds = options.rounds;
  timing.max_rounds = 2 * options.rounds;
  timing.min_sample = std::chrono::microseconds(1);
  const InterleavedTimes times = time_interleaved(calls, timing);
  Json document = {{"benchmark", "learner"},
                   {"device", device_json(device->target(), mhz_begin, reported_clock_mhz())},
                   {"vectors", runnable_block_kernels().front().name},
                   {"model", bench->model().snapshot().name},
                   {"digest", bench->model().digest()},
                   {"rounds", times.rounds},
                   {"rejected", times.rejected},
                   {"undisturbed", times.is_undisturbed}};
  Json summary;
  for (size_t i = 0; i < contenders.size(); ++i) {
    const Json figure = figure_json(contenders[i], times.times_of(i));
    document["figures"][contenders[i].figure] = figure;
    summary[contenders[i].figure] = figure["median_us"];
    summary[contenders[i].figure + "_spread"] = figure["spread"];
  }
  document["summary"] = summary;
  return document;
}

void print_table(const Json& document, std::ostream& out) {
  out << "model " << document["model"].get<std::string>() << ", vectors "
      << document["vectors"].get<std::string>() << ", " << document["rounds"] << " rounds\n";
  for (const auto& [name, figure] : document["figures"].items()) {
    char line[160];
    std::snprintf(line, sizeof line, "%10.1f us  ± %4.1f %%  %s\n",
                  figure["median_us"].get<double>(), 100 * figure["spread"].get<double>(),
                  figure["what"].get<std::string>().c_str());
    out << line;
  }
}

}  // namespace

int run_learner(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const Result<Options> options = parse_options(arguments);
  if (const auto answered = answer_without_measuring(options, out, err)) return *answered;
  return print_measured(measure(*options), *options, print_table, out, err);
}

}  // namespace triode::bench
