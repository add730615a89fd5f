// SPDX-License-Identifier: Apache-2.0
#include "learner/train/tree_trainer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "core/random.h"

namespace triode::train {
namespace {

constexpr float kMostLogTime = 1.5F;  // ln; how bad a config is beyond this teaches nothing
constexpr int32_t kMostBins = 255;

// First and second derivative of the loss by a row's score.
struct Slope {
  float first = 0;
  float second = 0;
};

// The columns of the lists, each cut into bins of about equally many rows.
class BinnedColumns {
 public:
  BinnedColumns(const TrainingLists& lists, int32_t bins)
      : rows_(lists.y.size()), bins_(lists.features * rows_), edges_(lists.features) {
    std::vector<float> sorted(rows_);
    for (size_t f = 0; f < lists.features; ++f) {
      for (size_t r = 0; r < rows_; ++r) sorted[r] = lists.x[r * lists.features + f];
      std::sort(sorted.begin(), sorted.end());
      edges_[f] = edges_of(sorted, bins);
      for (size_t r = 0; r < rows_; ++r) {
        const float value = lists.x[r * lists.features + f];
        const auto above = std::lower_bound(edges_[f].begin(), edges_[f].end(), value);
        bins_[f * rows_ + r] = static_cast<uint8_t>(above - edges_[f].begin());
      }
    }
  }

  // A row is above edge e of a feature if its bin is above e.
  const uint8_t* of(size_t feature) const { return bins_.data() + feature * rows_; }
  const std::vector<float>& edges(size_t feature) const { return edges_[feature]; }

 private:
  // Edges lie halfway between values, so that a last bit of rounding moves no row across.
  static std::vector<float> edges_of(const std::vector<float>& sorted, int32_t bins) {
    std::vector<float> values = sorted;
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<float> edges;
    const auto halfway = [&](size_t i) { return values[i] + (values[i + 1] - values[i]) / 2; };
    if (values.size() <= static_cast<size_t>(bins)) {
      for (size_t i = 0; i + 1 < values.size(); ++i) edges.push_back(halfway(i));
      return edges;
    }
    for (int32_t bin = 1; bin < bins; ++bin) {
      const size_t rank = sorted.size() * static_cast<size_t>(bin) / static_cast<size_t>(bins);
      const auto at = std::lower_bound(values.begin(), values.end(), sorted[rank]);
      const size_t i = std::min(static_cast<size_t>(at - values.begin()), values.size() - 2);
      if (edges.empty() || halfway(i) > edges.back()) edges.push_back(halfway(i));
    }
    return edges;
  }

  size_t rows_;
  std::vector<uint8_t> bins_;              // feature by feature
  std::vector<std::vector<float>> edges_;  // rising
};

// LambdaRank: every pair of configs that is in the wrong order, or not clearly in the right one,
// pulls apart by what swapping the two would change in the worth of the list, where a place is
// worth less the later it comes.
class PairLoss {
 public:
  PairLoss(const TrainingLists& lists, const TreeRecipe& recipe) : lists_(lists), recipe_(recipe) {
    for (size_t place = 0; place < lists.length; ++place) {
      discount_.push_back(1 / std::log2(2 + static_cast<double>(place)));
    }
  }

  // Adds the slopes of one list.
  void add(size_t list, const std::vector<float>& scores, std::vector<Slope>& slopes) {
    order_.clear();
    for (size_t place = 0; place < lists_.length; ++place) {
      const int32_t row = lists_.rows[list * lists_.length + place];
      if (row < 0) continue;
      const double gain = std::exp(-recipe_.gain_fall * lists_.y[static_cast<size_t>(row)]);
      order_.push_back({static_cast<size_t>(row), scores[static_cast<size_t>(row)], gain, 0, 0});
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [](const Placed& a, const Placed& b) { return a.score < b.score; });
    const double sum = add_pairs();
    if (sum <= 0) return;
    // A list counts by the logarithm of what is wrong with it: none may outshout the others.
    const double scale = std::log2(1 + sum) / sum;
    for (const Placed& one : order_) {
      slopes[one.row].first += static_cast<float>(scale * one.first);
      slopes[one.row].second += static_cast<float>(scale * one.second);
    }
  }

 private:
  struct Placed {
    size_t row;
    double score;
    double gain;  // what the config is worth
    double first, second;
  };

  // What all pairs pull, added up.
  double add_pairs() {
    const double worst = order_.empty() ? 0 : order_.back().score - order_.front().score;
    const double most = most_worth();
    double sum = 0;
    const size_t tops = std::min(order_.size(), static_cast<size_t>(recipe_.top_places));
    for (size_t i = 0; i < tops; ++i) {
      for (size_t j = i + 1; j < order_.size(); ++j) {
        if (order_[i].gain == order_[j].gain) continue;
        Placed& better = order_[i].gain > order_[j].gain ? order_[i] : order_[j];
        Placed& other = order_[i].gain > order_[j].gain ? order_[j] : order_[i];
        const double ahead = other.score - better.score;
        double change = (better.gain - other.gain) * (discount_[i] - discount_[j]) / most;
        if (worst > 0) change /= kLeastApart + std::abs(ahead);
        const double wrong = 1 / (1 + std::exp(ahead));
        better.first += change * wrong;
        other.first -= change * wrong;
        better.second += change * wrong * (1 - wrong);
        other.second += change * wrong * (1 - wrong);
        sum += 2 * change * wrong;
      }
    }
    return sum;
  }

  // Of the list in its best order, as far as places count.
  double most_worth() {
    gains_.clear();
    for (const Placed& one : order_) gains_.push_back(one.gain);
    std::sort(gains_.begin(), gains_.end(), std::greater<>());
    double sum = 0;
    const size_t tops = std::min(gains_.size(), static_cast<size_t>(recipe_.top_places));
    for (size_t place = 0; place < tops; ++place) sum += gains_[place] * discount_[place];
    return sum;
  }

  static constexpr double kLeastApart = 0.01;  // scores closer than this count as equal

  const TrainingLists& lists_;
  const TreeRecipe& recipe_;
  std::vector<double> discount_;
  std::vector<Placed> order_;
  std::vector<double> gains_;
};

struct Question {
  double gain = 0;
  size_t feature = 0;
  size_t edge = 0;
};

// Grows one tree after the other.
class Boosting {
 public:
  Boosting(const TrainingLists& lists, const TreeRecipe& recipe)
      : lists_(lists),
        recipe_(recipe),
        random_(recipe.seed),
        columns_(lists, recipe.bins),
        loss_(lists, recipe),
        scores_(lists.y.size()),
        place_(lists.y.size()) {
    trees_.depth = recipe.depth;
    trees_.share = static_cast<float>(recipe.share);
  }

  void grow() {
    std::vector<Slope> slopes(lists_.y.size());
    for (size_t list = 0; list < lists_.list_count(); ++list) {
      if (random_.uniform() < recipe_.list_share) loss_.add(list, scores_, slopes);
    }
    used_.clear();
    for (size_t row = 0; row < slopes.size(); ++row) {
      if (slopes[row].second > 0) used_.push_back({static_cast<uint32_t>(row), slopes[row]});
    }
    const std::vector<size_t> features = drawn_features();
    std::fill(place_.begin(), place_.end(), 0);
    for (int32_t level = 0; level < recipe_.depth; ++level)
      ask(best_question(features, level), level);
    add_leaves();
  }

  // The pairs decide the order alone; scaled by the factor that fits ln time best, the values can
  // be averaged with those of nets.
  TreeEnsemble take() {
    double product = 0;
    double square = 0;
    for (size_t problem = 0; problem + 1 < lists_.first.size(); ++problem) {
      const size_t begin = lists_.first[problem];
      const size_t end = lists_.first[problem + 1];
      double score_mean = 0;
      double y_mean = 0;
      for (size_t row = begin; row < end; ++row) {
        score_mean += scores_[row] / static_cast<double>(end - begin);
        y_mean += y(row) / static_cast<double>(end - begin);
      }
      for (size_t row = begin; row < end; ++row) {
        product += (scores_[row] - score_mean) * (y(row) - y_mean);
        square += (scores_[row] - score_mean) * (scores_[row] - score_mean);
      }
    }
    const double scale = square > 0 ? product / square : 0;
    for (float& leaf : trees_.leaf) leaf = static_cast<float>(leaf * scale);
    return std::move(trees_);
  }

 private:
  double y(size_t row) const { return std::min(lists_.y[row], kMostLogTime); }

  struct UsedRow {
    uint32_t row;
    Slope slope;
  };

  std::vector<size_t> drawn_features() {
    std::vector<size_t> features;
    for (size_t f = 0; f < lists_.features; ++f) {
      if (random_.uniform() < recipe_.feature_share) features.push_back(f);
    }
    if (features.empty()) features.push_back(random_.below(lists_.features));
    return features;
  }

  // The question that, asked in every leaf so far, explains most of the slopes.
  Question best_question(const std::vector<size_t>& features, int32_t level) {
    const size_t leaves = size_t{1} << level;
    Question best{.gain = -1, .feature = features.front(), .edge = 0};
    for (const size_t feature : features) {
      const size_t edges = columns_.edges(feature).size();
      if (edges == 0) continue;
      const size_t bins = edges + 1;
      histogram_.assign(leaves * bins, {});
      const uint8_t* bin = columns_.of(feature);
      for (const UsedRow& used : used_) {
        Slope& sum = histogram_[place_[used.row] * bins + bin[used.row]];
        sum.first += used.slope.first;
        sum.second += used.slope.second;
      }
      gains_.assign(edges, 0);
      for (size_t leaf = 0; leaf < leaves; ++leaf) add_gains(&histogram_[leaf * bins], bins);
      const auto most = std::max_element(gains_.begin(), gains_.end());
      if (*most > best.gain) {
        best = {*most, feature, static_cast<size_t>(most - gains_.begin())};
      }
    }
    return best;
  }

  void add_gains(const Slope* bins, size_t count) {
    Slope all;
    for (size_t b = 0; b < count; ++b) {
      all.first += bins[b].first;
      all.second += bins[b].second;
    }
    if (all.second <= 0) return;
    const auto worth = [&](double first, double second) {
      return first * first / (second + recipe_.l2);
    };
    Slope below;
    for (size_t b = 0; b + 1 < count; ++b) {
      below.first += bins[b].first;
      below.second += bins[b].second;
      gains_[b] += worth(below.first, below.second) +
                   worth(all.first - below.first, all.second - below.second);
    }
  }

  void ask(const Question& question, int32_t level) {
    const std::vector<float>& edges = columns_.edges(question.feature);
    trees_.feature.push_back(static_cast<uint16_t>(question.feature));
    trees_.threshold.push_back(edges.empty() ? 0 : edges[question.edge]);
    const uint8_t* bin = columns_.of(question.feature);
    for (size_t row = 0; row < place_.size(); ++row) {
      place_[row] |=
          static_cast<uint16_t>(static_cast<uint16_t>(bin[row] > question.edge) << level);
    }
  }

  void add_leaves() {
    const size_t leaves = size_t{1} << recipe_.depth;
    std::vector<double> first(leaves), second(leaves);
    for (const UsedRow& used : used_) {
      first[place_[used.row]] += used.slope.first;
      second[place_[used.row]] += used.slope.second;
    }
    const size_t begin = trees_.leaf.size();
    for (size_t leaf = 0; leaf < leaves; ++leaf) {
      trees_.leaf.push_back(
          static_cast<float>(-recipe_.learning_rate * first[leaf] / (second[leaf] + recipe_.l2)));
    }
    for (size_t row = 0; row < scores_.size(); ++row)
      scores_[row] += trees_.leaf[begin + place_[row]];
  }

  const TrainingLists& lists_;
  const TreeRecipe& recipe_;
  Random random_;
  BinnedColumns columns_;
  PairLoss loss_;
  std::vector<float> scores_;
  std::vector<uint16_t> place_;  // leaf of each row, as far as questions were asked
  std::vector<UsedRow> used_;
  std::vector<Slope> histogram_;
  std::vector<double> gains_;
  TreeEnsemble trees_;
};

Status check(const TrainingLists& lists, const TreeRecipe& recipe) {
  if (lists.list_count() == 0 || lists.features == 0) {
    return invalid_argument("nothing to grow trees on");
  }
  if (recipe.trees < 1 || recipe.depth < 1 || recipe.depth > kMaxTreeDepth || recipe.bins < 2 ||
      recipe.bins > kMostBins) {
    return invalid_argument("a recipe needs a tree, 1 to " + std::to_string(kMaxTreeDepth) +
                            " levels and 2 to 255 bins");
  }
  return {};
}

}  // namespace

Result<TreeEnsemble> train_trees(const TrainingLists& lists, const TreeRecipe& recipe,
                                 const ProgressSink& progress) {
  TRIODE_TRY(check(lists, recipe));
  Boosting boosting(lists, recipe);
  for (int32_t tree = 0; tree < recipe.trees; ++tree) {
    boosting.grow();
    const TrainingProgress state{.epoch = tree + 1, .epochs = recipe.trees};
    if (progress && !progress(state)) return unavailable("the training was stopped");
  }
  return boosting.take();
}

}  // namespace triode::train
