// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/learned_ranker.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/key.h"
#include "core/random.h"

namespace triode::tuner {
namespace {

// Of the pool and of the first batch, that the fallback guesses: what did well in kind is never
// left out, and most is still for the model to choose from.
constexpr size_t kGuessedOneIn = 4;
// Guesses that are added in every round, among them changes of the best so far.
constexpr size_t kGuessesPerRound = 64;
// Of a batch, for other kinds of kernels.
constexpr size_t kReservedOneIn = 8;
// Of every batch, for the fallback's guesses where the model extrapolates.
constexpr size_t kGuessedOneInDoubt = 2;
// Guesses of which the fastest stands for the plan that a search would find.
constexpr size_t kConfigsOfSaving = 32;
// A prediction moves calls in the queue and never out of it.
constexpr double kLeastSaving = 0.02;
constexpr double kMostSaving = 0.9;
// A choice that is not timed must promise more than a plan that was timed (PublishRule::margin): it
// is the difference of two predictions, and of a vendor that may be another version. Lower trusts
// kernels that gain nothing.
constexpr double kLeastTrustedSaving = 0.1;
constexpr size_t kMostSavings = 1 << 16;

// Configs without repetition, in the order in which they were added.
class Pool {
 public:
  explicit Pool(const Space& space) : space_(space) {}
  bool add(const Config& config) {
    if (!seen_.insert(space_.index_of(config)).second) return false;
    configs_.push_back(config);
    return true;
  }
  size_t size() const { return configs_.size(); }
  std::vector<Config> take() && { return std::move(configs_); }

 private:
  const Space& space_;
  std::set<uint64_t> seen_;
  std::vector<Config> configs_;
};

std::vector<Config> draw_pool(const Problem& problem, const Space& space, Ranker& fallback,
                              size_t size) {
  if (space.product_size() <= size) return space.enumerate();
  Pool pool(space);
  for (const Config& config : fallback.propose(problem, space, {}, size / kGuessedOneIn)) {
    pool.add(config);
  }
  Random random(hash_of(problem));
  for (size_t attempts = 0; attempts < 2 * size && pool.size() < size; ++attempts) {
    const std::optional<Config> drawn = space.sample(random);
    if (!drawn) break;
    pool.add(*drawn);
  }
  return std::move(pool).take();
}

std::vector<Tried> tried_in(const Space& space, std::span<const Config> pool,
                            std::span<const Trial> trials) {
  std::map<uint64_t, uint32_t> positions;
  for (uint32_t i = 0; i < pool.size(); ++i) positions[space.index_of(pool[i])] = i;
  std::vector<Tried> tried;
  for (const Trial& trial : trials) {
    const auto position = positions.find(space.index_of(trial.config));
    if (position == positions.end()) continue;
    const bool ran = trial.outcome.ok() && trial.measurement.min_ns > 0;
    tried.push_back(
        {position->second,
         ran ? std::optional(std::log(1e-9 * trial.measurement.min_ns)) : std::nullopt});
  }
  return tried;
}

}  // namespace

LearnedRanker::LearnedRanker(std::shared_ptr<const CostModel> model, Ranker& fallback,
                             LearnedRankerOptions options)
    : fallback_(fallback),
      options_(std::move(options)),
      device_(std::make_shared<const DeviceTraits>(options_.device)),
      learner_(model),
      model_(std::move(model)) {
  Result<SlowLearner> slow = SlowLearner::make(model_, options_.slow, options_.log);
  if (slow.ok()) {
    slow_.emplace(std::move(slow).take());
  } else if (options_.log) {
    options_.log("no fine-tuning: " + slow.status().message());
  }
}

std::shared_ptr<const CostModel> LearnedRanker::model() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

LearnedRanker::Search& LearnedRanker::search_of(const Problem& problem, const Space& space) {
  // Programs that may use different numbers of cores see different spaces.
  std::string identity = to_string(problem) + ' ' + std::to_string(space.product_size());
  if (search_.identity != identity) {
    search_ = {std::move(identity), {}, {}};
  }
  return search_;
}

std::vector<Config> LearnedRanker::propose(const Problem& problem, const Space& space,
                                           std::span<const Trial> tried, size_t count) {
  Search& search = search_of(problem, space);
  if (search.pool.empty()) search.pool = draw_pool(problem, space, fallback_, options_.pool);
  Pool pool(space);
  for (const Config& config : search.pool) pool.add(config);
  // Around the best of what was tried there may be better than any that was drawn.
  const std::vector<Config> guesses = fallback_.propose(problem, space, tried, kGuessesPerRound);
  for (const Config& config : guesses) pool.add(config);
  for (const Trial& trial : tried) pool.add(trial.config);
  const std::vector<Config> configs = std::move(pool).take();
  const Result<Ranking> ranking = learner_.rank(task_of(problem, space), configs);
  if (!ranking.ok()) return fallback_.propose(problem, space, tried, count);

  const bool is_in_doubt = options_.is_relative || ranking->support.support != Support::kInSupport;
  const size_t share = is_in_doubt ? kGuessedOneInDoubt : kGuessedOneIn;
  const bool is_guessed = is_in_doubt || tried.empty();
  const size_t guessed = is_guessed ? std::min(guesses.size(), count / share) : 0;
  PolicyOptions policy = options_.policy;
  policy.batch = count - guessed;
  policy.reserved_slots = std::max<size_t>(1, policy.batch / kReservedOneIn);
  Random random(hash_of(problem) + tried.size());
  const Proposal proposal = triode::propose(*ranking, learner_.state(options_.device.name),
                                            tried_in(space, configs, tried), policy, random);
  if (!proposal.worthwhile && tried.size() >= options_.least_trials && !is_in_doubt) return {};
  Pool batch(space);
  for (const uint32_t pick : proposal.picks) batch.add(configs[ranking->candidates[pick].index]);
  for (size_t i = 0; i < guesses.size() && batch.size() < count; ++i) batch.add(guesses[i]);
  return std::move(batch).take();
}

void LearnedRanker::learn(const Problem& problem, const Space& space, const Trial& trial) {
  if (!learns() || !trial.outcome.ok() || trial.measurement.min_ns <= 0) return;
  const TimedConfig timed{trial.config, 1e-9 * trial.measurement.min_ns};
  // What the model cannot learn from it passes over, as it does what it cannot rank.
  const auto learned =
      learner_.learn(task_of(problem, space), {&timed, 1}, search_of(problem, space).memory);
  if (learned.ok()) ++learned_;
}

std::optional<Config> LearnedRanker::choose(const Problem& problem, const Space& space,
                                            std::span<const Trial> known) {
  std::set<uint64_t> failed;
  for (const Trial& trial : known) {
    if (!trial.outcome.ok()) failed.insert(space.index_of(trial.config));
  }
  if (options_.is_relative) return std::nullopt;
  const std::vector<Config> configs = draw_pool(problem, space, fallback_, options_.pool);
  const RankingTask task = task_of(problem, space);
  const Result<Ranking> ranking = learner_.rank(task, configs);
  if (!ranking.ok() || ranking->support.support != Support::kInSupport || !ranking->vendor_s) {
    return std::nullopt;
  }
  for (const Candidate& candidate : ranking->candidates) {
    const Config& config = configs[candidate.index];
    if (failed.contains(space.index_of(config))) continue;
    const Result<std::vector<double>> seconds = learner_.model().level(task, {&config, 1});
    const bool is_faster =
        seconds.ok() && seconds->front() < *ranking->vendor_s * (1 - kLeastTrustedSaving);
    return is_faster ? std::optional(config) : std::nullopt;
  }
  return std::nullopt;
}

void LearnedRanker::review(const Problem& problem, const Space& space,
                           std::span<const Trial> known) {
  if (!learns() || !slow_) return;
  HeldBackProblem timed{problem, std::make_shared<const Space>(space), device_, options_.family, {},
                        {}};
  for (const Trial& trial : known) {
    if (!trial.outcome.ok() || trial.measurement.min_ns <= 0) continue;
    timed.configs.push_back(trial.config);
    timed.seconds.push_back(1e-9 * trial.measurement.min_ns);
  }
  (void)slow_->add(std::move(timed));  // what the model cannot read teaches it nothing
}

bool LearnedRanker::reflect(const Clock& clock, std::chrono::nanoseconds slice) {
  if (!slow_ || !slow_->has_work()) return false;
  const Result<SlowSlice> done = slow_->run(learner_, clock, slice);
  if (!done.ok() && options_.log) options_.log("fine-tuning failed: " + done.status().message());
  if (done.ok() && done->verdict && done->verdict->passed) adopt(*done->verdict);
  return true;
}

void LearnedRanker::adopt(const GateVerdict& verdict) {
  const Snapshot snapshot = learner_.snapshot();
  Result<CostModel> made = CostModel::make(snapshot);
  if (!made.ok()) return;  // it was one a moment ago
  const auto model = std::make_shared<const CostModel>(std::move(made).take());
  std::string before;
  {
    const std::lock_guard lock(mutex_);
    before = model_->digest();
    model_ = model;
    savings_.clear();
  }
  if (options_.on_better) options_.on_better(snapshot, verdict, before);
}

Result<double> LearnedRanker::predicted_saving(const Problem& problem) {
  if (!options_.space_of) return unsupported("no spaces to look into");
  const Space space = TRIODE_TRY(options_.space_of(problem));
  const std::vector<Config> configs = fallback_.propose(problem, space, {}, kConfigsOfSaving);
  if (configs.empty()) return unsupported("no config to run");
  const RankingTask task = task_of(problem, space);
  const std::shared_ptr<const CostModel> model = this->model();
  const Ranking ranking = TRIODE_TRY(model->rank(task, configs));
  if (!ranking.vendor_s) return unsupported("the model has no net for the vendor's time");
  const std::vector<double> seconds = TRIODE_TRY(model->level(task, configs));
  const double best_s = *std::min_element(seconds.begin(), seconds.end());
  return std::clamp(1 - best_s / *ranking.vendor_s, kLeastSaving, kMostSaving);
}

double LearnedRanker::expected_saving(const Problem& problem) {
  const std::string text = to_string(problem);
  {
    const std::lock_guard lock(mutex_);
    const auto known = savings_.find(text);
    if (known != savings_.end()) return known->second;
  }
  const Result<double> predicted = predicted_saving(problem);
  const double saving = predicted.ok() ? *predicted : fallback_.expected_saving(problem);
  const std::lock_guard lock(mutex_);
  if (savings_.size() >= kMostSavings) savings_.clear();
  savings_[text] = saving;
  return saving;
}

}  // namespace triode::tuner
