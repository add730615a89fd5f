// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/status.h"
#include "learner/model/feature_extractor.h"
#include "learner/model/online_state.h"
#include "learner/model/ranking_task.h"
#include "learner/model/snapshot.h"
#include "learner/model/support.h"

namespace triode {

// What the model says of one config of a task.
struct Candidate {
  uint32_t index = 0;  // in the configs that were ranked
  // ln time, but for an offset that all candidates of the task share. Lower is faster.
  double score = 0;
  double stddev = 0;               // of the score's difference to the mean of the candidates
  double failure_probability = 0;  // that it does not run at all; not part of the score
  int mechanism = 0;               // see FeatureExtractor::mechanism
};

// The answer for one task.
struct Ranking {
  // Best first. Holds the shortlist, and of each further mechanism class its best few: all that a
  // policy looks at. Configs that cannot fit the device are not among them.
  std::vector<Candidate> candidates;
  // Basis of each candidate, row by row, for learning from its timing and for drawing.
  std::vector<float> basis;
  size_t basis_size = 0;
  size_t unfit = 0;  // configs left out because they cannot run
  double roof_s = 0;
  std::optional<double> vendor_s;  // predicted; empty if the model has no such net
  SupportVerdict support;

  std::span<const float> basis_of(size_t candidate) const;
};

// Runs a snapshot. Immutable: any number of threads may rank at once.
class CostModel {
 public:
  // kInvalidArgument or kUnsupported if the snapshot does not validate.
  static Result<CostModel> make(Snapshot snapshot);

  const Snapshot& snapshot() const { return snapshot_; }
  const std::string& digest() const { return digest_; }

  // Ranks by the nets and the correction in `online` (which must be of this model's size); without
  // one, by what the snapshot knows of the task's device. Configs
  // keep their places if the list is permuted; equal scores go by the config. An unknown kernel or
  // type is kUnsupported: the caller passes such a task through. An empty list gives an empty
  // ranking.
  Result<Ranking> rank(const RankingTask& task, std::span<const Config> configs,
                       const OnlineState& online) const;
  Result<Ranking> rank(const RankingTask& task, std::span<const Config> configs) const {
    return rank(task, configs, snapshot_.online_of(task.device.name));
  }

  // Predicted seconds of some configs, by the level net; kUnsupported if the model has none.
  Result<std::vector<double>> level(const RankingTask& task, std::span<const Config> configs) const;

  // Scores of all configs by the net at `position` of the snapshot alone: what training compares
  // with, and what a shadow gate judges. Of a net that is no kRank net, its value.
  Result<std::vector<float>> evaluate(const RankingTask& task, std::span<const Config> configs,
                                      size_t position) const;

  // Mean of the rank nets' values for configs, the trees having their share, without any
  // correction: what a timing is compared with to learn from it.
  Result<std::vector<double>> uncorrected_scores(const RankingTask& task,
                                                 std::span<const Config> configs) const;

  // Basis rows of configs in the given order, for building a prior and for learning from timings of
  // configs that no ranking held. Row-major.
  Result<std::vector<float>> basis(const RankingTask& task, std::span<const Config> configs) const;
  size_t basis_size() const { return snapshot_.online.size(); }

  ~CostModel();
  CostModel(CostModel&&) noexcept;
  CostModel& operator=(CostModel&&) noexcept;

 private:
  struct Prepared;  // the nets in the order the kernels read them
  class Ranker;     // one task being ranked
  Result<FeatureExtractor> extractor_for(const RankingTask& task) const;
  CostModel(Snapshot snapshot, std::unique_ptr<const Prepared> prepared);

  Snapshot snapshot_;
  std::string digest_;
  std::unique_ptr<const Prepared> prepared_;
};

}  // namespace triode
