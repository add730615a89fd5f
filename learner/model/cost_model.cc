// SPDX-License-Identifier: Apache-2.0
#include "learner/model/cost_model.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "learner/model/block_kernels.h"
#include "learner/model/candidate_doubt.h"
#include "learner/model/prepared_net.h"
#include "learner/model/shortlist.h"
#include "learner/model/tree_ensemble.h"

namespace triode {
namespace {

double sigmoid(double logit) {
  return 1 / (1 + std::exp(-logit));
}

}  // namespace

std::span<const float> Ranking::basis_of(size_t candidate) const {
  return std::span(basis).subspan(candidate * basis_size, basis_size);
}

struct CostModel::Prepared {
  std::vector<PreparedNet> nets;  // as in the snapshot
  std::vector<size_t> rank_nets;  // positions of the rank nets; the first shortlists
  std::optional<size_t> level, failure, vendor;
  const BlockKernels& kernels = runnable_block_kernels().front();
};

// One task being ranked: what its steps share.
class CostModel::Ranker {
 public:
  Ranker(const CostModel& model, const FeatureExtractor& extractor, const OnlineState& online)
      : model_(model),
        prepared_(*model.prepared_),
        extractor_(extractor),
        online_(online),
        block_(extractor, model.snapshot_.standardisation, prepared_.kernels),
        base_(prepared_.nets[prepared_.rank_nets.front()], block_, prepared_.kernels, room_) {
    const DenseLayer& last = prepared_.nets[prepared_.rank_nets.front()].net().layers.back();
    net_basis_ = last.weights.size();
    corrected_ = last.weights;
    for (size_t i = 0; i < net_basis_; ++i) corrected_[i] += static_cast<float>(online.mean[i]);
  }

  Ranking rank(std::span<const Config> configs);

  // Calls visit(first, count) with each block of configs loaded.
  template <typename Visit>
  void for_each_block(std::span<const Config> configs, const Visit& visit) {
    for (size_t first = 0; first < configs.size(); first += kBlockColumns) {
      const size_t count = std::min(kBlockColumns, configs.size() - first);
      block_.load(configs.subspan(first, count));
      visit(first, count);
    }
  }

  // Values of the nets at `positions` for all configs, net by net. The features are computed once.
  std::vector<std::vector<float>> net_values(std::span<const size_t> positions,
                                             std::span<const Config> configs) {
    std::vector<PreparedNet::Run> runs;
    runs.reserve(positions.size());
    for (const size_t position : positions) {
      runs.emplace_back(prepared_.nets[position], block_, prepared_.kernels, room_);
    }
    std::vector<std::vector<float>> values(positions.size(), std::vector<float>(configs.size()));
    for_each_block(configs, [&](size_t first, size_t count) {
      for (size_t i = 0; i < runs.size(); ++i) evaluate(runs[i], first, count, values[i]);
    });
    return values;
  }

  // Values of the trees for all configs; empty if the model has none.
  std::vector<double> tree_values(std::span<const Config> configs) {
    if (model_.snapshot_.trees.empty()) return {};
    std::vector<double> values(configs.size(), 0);
    for_each_block(configs, [&](size_t first, size_t count) { add_trees(first, count, values); });
    return values;
  }

  // Gives the trees their share in scores that are the mean of the rank nets.
  void blend(std::span<const double> tree_values, std::span<double> scores) const {
    const double share = model_.snapshot_.trees.share;
    for (size_t i = 0; i < tree_values.size(); ++i) {
      scores[i] = (1 - share) * scores[i] + share * tree_values[i];
    }
  }

  // Row-major, one row for each config.
  std::vector<float> basis_rows(std::span<const Config> configs) {
    std::vector<float> rows(configs.size() * online_.size());
    std::vector<float> values(configs.size());
    for_each_block(configs, [&](size_t first, size_t count) {
      evaluate(base_, first, count, values);
      store_basis(first, count, rows);
    });
    return rows;
  }

 private:
  // Everything that the nets and the trees say of the chosen configs.
  struct Opinions {
    std::vector<std::vector<float>> ranks;  // rank net by rank net
    std::vector<double> trees;              // empty if there are none
    std::vector<float> failure;             // logits; empty if no net says
    std::vector<float> basis;               // row-major
  };
  void evaluate(PreparedNet::Run& run, size_t first, size_t count, std::vector<float>& values) {
    std::array<float, kBlockColumns> column;  // evaluate() writes all of it
    run.evaluate(block_, {}, column.data());
    std::copy_n(column.begin(), count, values.begin() + static_cast<std::ptrdiff_t>(first));
  }
  // To the values of the block's configs.
  void add_trees(size_t first, size_t count, std::vector<double>& values) const {
    add_tree_values(model_.snapshot_.trees, {block_.problem(), block_.row(block_.problem_count())},
                    count, values.data() + first);
  }
  void store_basis(size_t first, size_t count, std::vector<float>& rows) const;
  Opinions opinions(std::span<const Config> chosen);
  std::vector<ScoredConfig> shortlisted(std::span<const Config> configs, size_t& unfit);
  std::vector<float> base_scores(std::span<const Config> configs);
  void add_feature_correction(size_t first, size_t count, std::span<float> scores) const;
  void fill_candidates(const Opinions& opinions, Ranking& ranking) const;

  const CostModel& model_;
  const Prepared& prepared_;
  const FeatureExtractor& extractor_;
  const OnlineState& online_;
  FeatureBlock block_;
  NetRoom room_;
  PreparedNet::Run base_;
  size_t net_basis_ = 0;
  std::vector<float> corrected_;  // the base net's last layer with the online correction in it
};

// The basis of the block's configs, as the base net's evaluation has just left it.
void CostModel::Ranker::store_basis(size_t first, size_t count, std::vector<float>& rows) const {
  const size_t size = online_.size();
  for (size_t i = 0; i < size; ++i) {
    const bool of_net = i < net_basis_;
    const size_t feature = of_net ? 0 : online_.features[i - net_basis_];
    float* out = rows.data() + first * size + i;
    for (size_t c = 0; c < count; ++c) {
      out[c * size] = of_net ? base_.basis()[i * kBlockColumns + c] : block_.value(feature, c);
    }
  }
}

CostModel::Ranker::Opinions CostModel::Ranker::opinions(std::span<const Config> chosen) {
  std::vector<PreparedNet::Run> others;
  others.reserve(prepared_.rank_nets.size());
  for (size_t i = 1; i < prepared_.rank_nets.size(); ++i) {
    others.emplace_back(prepared_.nets[prepared_.rank_nets[i]], block_, prepared_.kernels, room_);
  }
  std::optional<PreparedNet::Run> failure;
  Opinions out;
  if (prepared_.failure) {
    failure.emplace(prepared_.nets[*prepared_.failure], block_, prepared_.kernels, room_);
    out.failure.resize(chosen.size());
  }
  out.ranks.assign(prepared_.rank_nets.size(), std::vector<float>(chosen.size()));
  out.basis.resize(chosen.size() * online_.size());
  if (!model_.snapshot_.trees.empty()) out.trees.resize(chosen.size());
  for_each_block(chosen, [&](size_t first, size_t count) {
    evaluate(base_, first, count, out.ranks.front());
    store_basis(first, count, out.basis);
    for (size_t i = 0; i < others.size(); ++i) evaluate(others[i], first, count, out.ranks[i + 1]);
    if (failure) evaluate(*failure, first, count, out.failure);
    if (!out.trees.empty()) add_trees(first, count, out.trees);
  });
  return out;
}

void CostModel::Ranker::add_feature_correction(size_t first, size_t count,
                                               std::span<float> scores) const {
  for (size_t i = net_basis_; i < online_.size(); ++i) {
    const auto weight = static_cast<float>(online_.mean[i]);
    const uint16_t feature = online_.features[i - net_basis_];
    if (weight == 0 || feature < block_.problem_count()) continue;  // the same for all configs
    const float* row = block_.row(feature);
    for (size_t c = 0; c < count; ++c) scores[first + c] += weight * row[c];
  }
}

std::vector<float> CostModel::Ranker::base_scores(std::span<const Config> configs) {
  std::vector<float> scores(configs.size());
  std::array<float, kBlockColumns> column{};
  for_each_block(configs, [&](size_t first, size_t count) {
    base_.evaluate(block_, corrected_, column.data());
    std::copy_n(column.begin(), count, scores.begin() + static_cast<std::ptrdiff_t>(first));
    add_feature_correction(first, count, scores);
  });
  return scores;
}

// Finite weights can overflow, which then says nothing of a config: it comes last. No order holds
// a NaN, and sorting by one runs out of bounds.
template <typename Score>
Score or_last(Score score) {
  return std::isfinite(score) ? score : std::numeric_limits<Score>::max();
}

// The best by the first net, and the best few of each mechanism class.
std::vector<ScoredConfig> CostModel::Ranker::shortlisted(std::span<const Config> configs,
                                                         size_t& unfit) {
  std::vector<ScoredConfig> scored = fitting(extractor_, configs);
  unfit = configs.size() - scored.size();
  std::vector<Config> fit;
  if (unfit > 0) {
    fit.reserve(scored.size());
    for (const ScoredConfig& one : scored) fit.push_back(configs[one.index]);
  }
  const std::vector<float> scores = base_scores(unfit > 0 ? std::span<const Config>(fit) : configs);
  for (size_t i = 0; i < scored.size(); ++i) scored[i].score = or_last(scores[i]);
  return shortlist(extractor_, configs, std::move(scored),
                   static_cast<size_t>(model_.snapshot_.shortlist));
}

// Scores by all rank nets, each less its mean over the candidates, since their offsets are free.
void CostModel::Ranker::fill_candidates(const Opinions& opinions, Ranking& ranking) const {
  const size_t count = ranking.candidates.size();
  const auto members = static_cast<double>(prepared_.rank_nets.size());
  std::vector<double> sum(count, 0), squares(count, 0);
  for (const std::vector<float>& values : opinions.ranks) {
    double mean = 0;
    for (const float value : values) mean += value / static_cast<double>(count);
    for (size_t i = 0; i < count; ++i) {
      const double centred = values[i] - mean;
      sum[i] += centred;
      squares[i] += centred * centred;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    sum[i] /= members;
    squares[i] = std::max(0.0, squares[i] / members - sum[i] * sum[i]);
  }
  blend(opinions.trees, sum);
  for (size_t i = 0; i < count; ++i) {
    const std::span<const float> row = ranking.basis_of(i);
    double correction = 0;
    for (size_t j = 0; j < row.size(); ++j) correction += online_.mean[j] * row[j];
    ranking.candidates[i].score = or_last(sum[i] + correction);
  }
  set_stddevs(online_, squares, prepared_.kernels, ranking);
  for (size_t i = 0; i < opinions.failure.size(); ++i) {
    ranking.candidates[i].failure_probability = sigmoid(opinions.failure[i]);
  }
}

Ranking CostModel::Ranker::rank(std::span<const Config> configs) {
  Ranking unsorted;
  std::vector<Config> chosen;
  for (const ScoredConfig& one : shortlisted(configs, unsorted.unfit)) {
    chosen.push_back(configs[one.index]);
    Candidate candidate;
    candidate.index = one.index;
    candidate.mechanism = extractor_.mechanism(configs[one.index]);
    unsorted.candidates.push_back(candidate);
  }
  unsorted.basis_size = online_.size();
  Opinions said = opinions(chosen);
  unsorted.basis = std::move(said.basis);
  fill_candidates(said, unsorted);

  std::vector<size_t> order(chosen.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double sa = unsorted.candidates[a].score;
    const double sb = unsorted.candidates[b].score;
    return sa != sb ? sa < sb : chosen[a] < chosen[b];
  });
  Ranking ranking;
  ranking.unfit = unsorted.unfit;
  ranking.basis_size = unsorted.basis_size;
  for (const size_t i : order) {
    ranking.candidates.push_back(unsorted.candidates[i]);
    const std::span<const float> row = unsorted.basis_of(i);
    ranking.basis.insert(ranking.basis.end(), row.begin(), row.end());
  }
  return ranking;
}

CostModel::CostModel(Snapshot snapshot, std::unique_ptr<const Prepared> prepared)
    : snapshot_(std::move(snapshot)),
      digest_(snapshot_digest(snapshot_)),
      prepared_(std::move(prepared)) {}
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel&&) noexcept = default;
CostModel& CostModel::operator=(CostModel&&) noexcept = default;

Result<CostModel> CostModel::make(Snapshot snapshot) {
  TRIODE_TRY(snapshot.validate());
  auto prepared = std::make_unique<Prepared>();
  const size_t problem_count = feature_table(snapshot.kind).problem_count;
  for (size_t i = 0; i < snapshot.nets.size(); ++i) {
    const Net& net = snapshot.nets[i];
    prepared->nets.emplace_back(net, problem_count);
    if (net.role == NetRole::kRank) prepared->rank_nets.push_back(i);
    if (net.role == NetRole::kLevel) prepared->level = i;
    if (net.role == NetRole::kFailure) prepared->failure = i;
    if (net.role == NetRole::kVendor) prepared->vendor = i;
  }
  return CostModel(std::move(snapshot), std::move(prepared));
}

Result<FeatureExtractor> CostModel::extractor_for(const RankingTask& task) const {
  if (task.device.kind != snapshot_.kind) {
    return unsupported("a model of the " + std::string(to_string(snapshot_.kind)) +
                       " knows nothing of " + task.device.name);
  }
  return FeatureExtractor::make(task);
}

Result<Ranking> CostModel::rank(const RankingTask& task, std::span<const Config> configs,
                                const OnlineState& online) const {
  assert(online.size() == snapshot_.online.size());
  const FeatureExtractor extractor = TRIODE_TRY(extractor_for(task));
  const SupportVerdict support =
      judge_support(snapshot_.support, task, extractor.problem_features());
  if (support.support == Support::kUnknown) {
    return unsupported("the model cannot rank \"" + to_string(task.problem) +
                       "\": " + support.reason);
  }
  Ranker ranker(*this, extractor, online);
  Ranking ranking = ranker.rank(configs);
  ranking.roof_s = extractor.roof_s();
  ranking.support = support;
  if (prepared_->vendor && !configs.empty()) {
    const size_t vendor[] = {*prepared_->vendor};
    const float level = ranker.net_values(vendor, configs.first(1)).front().front();
    ranking.vendor_s = std::exp(static_cast<double>(level)) * extractor.roof_s();
  }
  return ranking;
}

Result<std::vector<double>> CostModel::level(const RankingTask& task,
                                             std::span<const Config> configs) const {
  if (!prepared_->level) return unsupported("the model has no net for absolute times");
  const FeatureExtractor extractor = TRIODE_TRY(extractor_for(task));
  Ranker ranker(*this, extractor, snapshot_.online);
  std::vector<double> seconds;
  const size_t net[] = {*prepared_->level};
  const std::vector<std::vector<float>> levels = ranker.net_values(net, configs);
  for (const float level : levels.front()) {
    seconds.push_back(std::exp(static_cast<double>(level)) * extractor.roof_s());
  }
  return seconds;
}

Result<std::vector<float>> CostModel::evaluate(const RankingTask& task,
                                               std::span<const Config> configs,
                                               size_t position) const {
  if (position >= snapshot_.nets.size()) return invalid_argument("the model has no such net");
  const FeatureExtractor extractor = TRIODE_TRY(extractor_for(task));
  const size_t net[] = {position};
  return std::move(Ranker(*this, extractor, snapshot_.online).net_values(net, configs).front());
}

Result<std::vector<double>> CostModel::uncorrected_scores(const RankingTask& task,
                                                          std::span<const Config> configs) const {
  const FeatureExtractor extractor = TRIODE_TRY(extractor_for(task));
  Ranker ranker(*this, extractor, snapshot_.online);
  std::vector<double> scores(configs.size(), 0);
  const auto members = static_cast<double>(prepared_->rank_nets.size());
  for (const std::vector<float>& values : ranker.net_values(prepared_->rank_nets, configs)) {
    for (size_t i = 0; i < scores.size(); ++i) scores[i] += values[i] / members;
  }
  ranker.blend(ranker.tree_values(configs), scores);
  return scores;
}

Result<std::vector<float>> CostModel::basis(const RankingTask& task,
                                            std::span<const Config> configs) const {
  const FeatureExtractor extractor = TRIODE_TRY(extractor_for(task));
  return Ranker(*this, extractor, snapshot_.online).basis_rows(configs);
}

}  // namespace triode
