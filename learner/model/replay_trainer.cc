// SPDX-License-Identifier: Apache-2.0
#include "learner/model/replay_trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.h"
#include "learner/model/block_kernels.h"
#include "learner/model/feature_extractor.h"
#include "learner/model/net_tuning.h"
#include "learner/model/prepared_net.h"
#include "learner/model/tree_ensemble.h"

namespace triode {
namespace {

constexpr double kMostLogTime = 1.5;  // ln; how bad a config is beyond this teaches nothing

using Columns = std::array<float, kBlockColumns>;

// A problem's timed configs, at most a block of them.
struct Lesson {
  std::vector<Config> configs;
  std::vector<float> log_times;  // less that of the best
};

// All that have a time, or the best and others that are drawn.
Lesson lesson_of(const HeldBackProblem& timed, Random& random) {
  std::vector<size_t> places;
  for (size_t i = 0; i < timed.configs.size(); ++i) {
    if (std::isfinite(timed.seconds[i]) && timed.seconds[i] > 0) places.push_back(i);
  }
  if (places.empty()) return {};
  const auto best = std::min_element(places.begin(), places.end(), [&](size_t a, size_t b) {
    return timed.seconds[a] < timed.seconds[b];
  });
  std::iter_swap(places.begin(), best);
  if (places.size() > kBlockColumns) {
    for (size_t i = 1; i < kBlockColumns; ++i) {
      std::swap(places[i], places[i + random.below(places.size() - i)]);
    }
    places.resize(kBlockColumns);
  }
  Lesson lesson;
  for (const size_t place : places) {
    lesson.configs.push_back(timed.configs[place]);
    const double worse = std::log(timed.seconds[place] / timed.seconds[places.front()]);
    lesson.log_times.push_back(static_cast<float>(std::min(worse, kMostLogTime)));
  }
  return lesson;
}

// Which features did not vary in training, and do over the problems.
std::vector<bool> novel(std::span<const HeldBackProblem> problems, const Snapshot& snapshot,
                        const BlockKernels& kernels) {
  const size_t count = snapshot.standardisation.mean.size();
  std::vector<float> least(count, INFINITY), most(count, -INFINITY);
  for (const HeldBackProblem& timed : problems) {
    if (timed.device->kind != snapshot.kind || timed.configs.empty()) continue;
    const Result<FeatureExtractor> extractor =
        FeatureExtractor::make({timed.problem, *timed.space, *timed.device, timed.family});
    if (!extractor.ok()) continue;  // teaches nothing either
    FeatureBlock block(*extractor, snapshot.standardisation, kernels);
    const size_t columns = std::min(kBlockColumns, timed.configs.size());
    block.load(std::span(timed.configs).first(columns));
    for (size_t f = 0; f < count; ++f) {
      for (size_t c = 0; c < columns; ++c) {
        least[f] = std::min(least[f], block.value(f, c));
        most[f] = std::max(most[f], block.value(f, c));
      }
    }
  }
  std::vector<bool> news(count);
  for (size_t f = 0; f < count; ++f) {
    news[f] = most[f] > least[f] && snapshot.standardisation.inverse_std[f] == 1;
  }
  return news;
}

bool reads(const Net& net, size_t feature) {
  return std::binary_search(net.inputs.begin(), net.inputs.end(), feature);
}

// The same net, reading these features too, with weights of zero.
Net reading_also(const Net& net, const std::vector<bool>& features) {
  Net out = net;
  DenseLayer& first = out.layers.front();
  out.inputs.clear();
  first.weights.clear();
  for (size_t f = 0; f < features.size(); ++f) {
    if (features[f] || reads(net, f)) out.inputs.push_back(static_cast<uint16_t>(f));
  }
  first.inputs = static_cast<int32_t>(out.inputs.size());
  const float* known = net.layers.front().weights.data();
  for (size_t o = 0; o < first.bias.size(); ++o) {
    for (const uint16_t f : out.inputs) first.weights.push_back(reads(net, f) ? *known++ : 0);
  }
  return out;
}

// Says so at the end of the card, with the steps of earlier rounds.
void note_steps(uint64_t steps, std::string& card) {
  static constexpr std::string_view kBefore = "\nTuned by ";
  const size_t earlier = card.rfind(kBefore);
  if (earlier != std::string::npos) {
    steps += std::strtoull(card.c_str() + earlier + kBefore.size(), nullptr, 10);
    card.resize(earlier);
  }
  card += std::string(kBefore) + std::to_string(steps) + " steps on replayed timings.\n";
}

// Derivative, by each score, of the weighted squared error about the problem's own mean error.
Columns slopes_of(const Lesson& lesson, const Columns& scores, const ReplayRecipe& recipe) {
  const size_t count = lesson.configs.size();
  Columns weight{}, slope{};
  float sum = 0;
  for (size_t c = 0; c < count; ++c) {
    weight[c] = 1 / (static_cast<float>(recipe.near_best) + std::min(lesson.log_times[c], 1.0F));
    sum += weight[c];
  }
  float mean = 0;
  for (size_t c = 0; c < count; ++c) {
    weight[c] /= sum;
    mean += weight[c] * (scores[c] - lesson.log_times[c]);
  }
  const auto share = 1 / static_cast<float>(recipe.batch);
  for (size_t c = 0; c < count; ++c) {
    slope[c] = 2 * share * weight[c] * (scores[c] - lesson.log_times[c] - mean);
  }
  return slope;
}

}  // namespace

class ReplayTrainer::Work {
 public:
  Work(std::shared_ptr<const CostModel> model, const ReplayRecipe& recipe)
      : model_(std::move(model)), recipe_(recipe), random_(recipe.seed) {}

  Status step(std::span<const HeldBackProblem> problems) {
    std::map<std::string_view, std::vector<const HeldBackProblem*>> by_device;
    for (const HeldBackProblem& timed : problems) by_device[timed.device->name].push_back(&timed);
    if (by_device.empty()) return invalid_argument("there are no timings to replay");
    if (nets_.empty()) begin(problems);
    for (size_t i = 0; i < recipe_.batch; ++i) {
      const auto device = std::next(by_device.begin(),
                                    static_cast<std::ptrdiff_t>(random_.below(by_device.size())));
      learn(*device->second[random_.below(device->second.size())]);
    }
    const double slower = 1 + static_cast<double>(steps_++) / recipe_.half_life;
    for (NetTuning& net : nets_) net.apply(recipe_.learning_rate / slower);
    return {};
  }

  uint64_t steps() const { return steps_; }

  Result<Snapshot> candidate() const {
    Snapshot snapshot = model_->snapshot();
    for (size_t i = 0; i < nets_.size(); ++i) snapshot.nets[tuned_[i]] = nets_[i].net();
    note_steps(steps_, snapshot.card);
    const Status valid = snapshot.validate();
    if (!valid.ok()) return internal_error("replay lost the model: " + valid.message());
    return snapshot;
  }

 private:
  // What sets a new device apart may not have varied in training, so that no net reads it at first.
  // Once standardised, such a feature is zero on the devices of the training: if there are any,
  // they alone are learned, and what the nets know of those devices stays as it is to the bit.
  void begin(std::span<const HeldBackProblem> problems) {
    const Snapshot& snapshot = model_->snapshot();
    const std::vector<bool> news = novel(problems, snapshot, kernels_);
    const bool none = std::find(news.begin(), news.end(), true) == news.end();
    for (size_t i = 0; i < snapshot.nets.size(); ++i) {
      if (snapshot.nets[i].role == NetRole::kRank) tuned_.push_back(i);
    }
    // Of the first one the last layer at most: the rest is the basis of the online state.
    nets_.emplace_back(snapshot.nets[tuned_.front()], none ? size_t{1} : size_t{0}, kernels_);
    for (size_t i = 1; i < tuned_.size(); ++i) {
      const Net& net = snapshot.nets[tuned_[i]];
      if (none) {
        nets_.emplace_back(net, recipe_.trained_layers, kernels_);
        continue;
      }
      const Net wider = reading_also(net, news);
      std::vector<bool> only;
      for (const uint16_t f : wider.inputs) only.push_back(news[f]);
      nets_.emplace_back(wider, std::move(only), kernels_);
    }
    inputs_.resize(nets_.size());
  }

  void learn(const HeldBackProblem& timed) {
    const Lesson lesson = lesson_of(timed, random_);
    if (lesson.configs.size() < 2 || timed.device->kind != model_->snapshot().kind) return;
    const Result<FeatureExtractor> extractor =
        FeatureExtractor::make({timed.problem, *timed.space, *timed.device, timed.family});
    if (!extractor.ok()) return;  // passed over, as the header says
    FeatureBlock block(*extractor, model_->snapshot().standardisation, kernels_);
    block.load(lesson.configs);
    // The blend of all nets and trees is what ranks, so its error is what all nets learn from:
    // where it is right already, as it is on rehearsed problems at first, no net moves.
    const float share = 1 / static_cast<float>(nets_.size());
    Columns scores{};
    for (size_t i = 0; i < nets_.size(); ++i) {
      const Net& net = nets_[i].net();
      nets_[i].forward(fill_inputs(net, block, inputs_[i]));
      for (size_t c = 0; c < lesson.configs.size(); ++c) {
        scores[c] += share * (nets_[i].values()[c] + skipped(net, block, c));
      }
    }
    add_trees(block, lesson.configs.size(), scores);
    add_corrections(model_->snapshot().online_of(timed.device->name), block, scores);
    const Columns slopes = slopes_of(lesson, scores, recipe_);
    for (NetTuning& net : nets_) net.add_gradient(slopes.data(), lesson.configs.size());
  }

  static const float* fill_inputs(const Net& net, const FeatureBlock& block,
                                  std::vector<float>& inputs) {
    inputs.resize(net.inputs.size() * kBlockColumns);
    for (size_t i = 0; i < net.inputs.size(); ++i) {
      float* row = inputs.data() + i * kBlockColumns;
      const uint16_t feature = net.inputs[i];
      if (feature < block.problem_count()) {
        std::fill_n(row, kBlockColumns, block.problem()[feature]);
      } else {
        std::copy_n(block.row(feature), kBlockColumns, row);
      }
    }
    return inputs.data();
  }

  static float skipped(const Net& net, const FeatureBlock& block, size_t column) {
    if (net.skip_feature < 0) return 0;
    return net.skip_weight * block.raw(static_cast<size_t>(net.skip_feature), column);
  }

  // Gives the trees, which stay as they are, their share: the nets learn what the blend still
  // lacks.
  void add_trees(const FeatureBlock& block, size_t count, Columns& scores) const {
    const TreeEnsemble& trees = model_->snapshot().trees;
    if (trees.empty()) return;
    std::array<double, kBlockColumns> values{};
    add_tree_values(trees, {block.problem(), block.row(block.problem_count())}, count,
                    values.data());
    for (size_t c = 0; c < count; ++c) {
      scores[c] = (1 - trees.share) * scores[c] + trees.share * static_cast<float>(values[c]);
    }
  }

  // Adds what the device's online state does; the first net has been evaluated.
  void add_corrections(const OnlineState& online, const FeatureBlock& block,
                       Columns& scores) const {
    const size_t of_net = online.size() - online.features.size();
    for (size_t i = 0; i < online.size(); ++i) {
      const auto weight = static_cast<float>(online.mean[i]);
      for (size_t c = 0; c < kBlockColumns; ++c) {
        scores[c] += weight * (i < of_net ? nets_.front().basis()[i * kBlockColumns + c]
                                          : block.value(online.features[i - of_net], c));
      }
    }
  }

  std::shared_ptr<const CostModel> model_;
  ReplayRecipe recipe_;
  Random random_;
  const BlockKernels& kernels_ = runnable_block_kernels().front();
  std::vector<NetTuning> nets_;
  std::vector<size_t> tuned_;               // their positions in the snapshot
  std::vector<std::vector<float>> inputs_;  // of each net
  uint64_t steps_ = 0;
};

ReplayTrainer::ReplayTrainer(std::unique_ptr<Work> work) : work_(std::move(work)) {}
ReplayTrainer::~ReplayTrainer() = default;
ReplayTrainer::ReplayTrainer(ReplayTrainer&&) noexcept = default;
ReplayTrainer& ReplayTrainer::operator=(ReplayTrainer&&) noexcept = default;

Result<ReplayTrainer> ReplayTrainer::make(std::shared_ptr<const CostModel> model,
                                          const ReplayRecipe& recipe) {
  const bool works = model && recipe.batch > 0 && recipe.trained_layers > 0 &&
                     recipe.near_best > 0 && recipe.half_life > 0 && recipe.learning_rate > 0 &&
                     std::isfinite(recipe.learning_rate);
  if (!works) {
    return invalid_argument(
        "replay needs a model, a batch, a layer to train, and a positive learning rate, half-life "
        "and near_best");
  }
  return ReplayTrainer(std::make_unique<Work>(std::move(model), recipe));
}

Status ReplayTrainer::step(std::span<const HeldBackProblem> problems) {
  return work_->step(problems);
}

Result<size_t> ReplayTrainer::run(std::span<const HeldBackProblem> problems, const Clock& clock,
                                  std::chrono::nanoseconds slice) {
  const std::chrono::nanoseconds end = clock.now() + slice;
  size_t steps = 0;
  do {
    TRIODE_TRY(step(problems));
    ++steps;
  } while (clock.now() < end);
  return steps;
}

uint64_t ReplayTrainer::steps() const {
  return work_->steps();
}

Result<Snapshot> ReplayTrainer::candidate() const {
  return work_->candidate();
}

}  // namespace triode
