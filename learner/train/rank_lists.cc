// SPDX-License-Identifier: Apache-2.0
#include "learner/train/rank_lists.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/random.h"
#include "learner/train/split.h"

namespace triode::train {
namespace {

// A row of the matrix that a net learns from.
struct Example {
  size_t row = 0;
  double y = 0;
};

// Collects rows and lists of them.
class ListBuilder {
 public:
  ListBuilder(const LearningView& view, size_t length) : view_(view) {
    lists_.features = view.inputs.size();
    lists_.length = length;
    lists_.first.push_back(0);
  }

  void add_problem(const std::vector<Example>& examples, uint64_t group,
                   const ListOptions& options) {
    if (examples.empty()) return;
    const auto first = static_cast<int32_t>(lists_.y.size());
    for (const Example& example : examples) {
      append_standardised(view_.matrix, example.row, view_.standardisation, view_.inputs, lists_.x);
      lists_.y.push_back(static_cast<float>(example.y));
    }
    lists_.first.push_back(lists_.y.size());
    if (examples.size() <= lists_.length) {
      std::vector<int32_t> rows;
      for (size_t i = 0; i < examples.size(); ++i) rows.push_back(first + static_cast<int32_t>(i));
      add_list(rows, group);
      return;
    }
    Random random(group ^ options.seed);
    const std::vector<size_t> order = by_y(examples);
    for (size_t list = 0; list < options.lists_of_large; ++list) {
      add_list(draw(order, first, options, random), group);
    }
  }

  TrainingLists take() { return std::move(lists_); }

 private:
  static std::vector<size_t> by_y(const std::vector<Example>& examples) {
    std::vector<size_t> order(examples.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return examples[a].y < examples[b].y; });
    return order;
  }

  std::vector<int32_t> draw(const std::vector<size_t>& order, int32_t first,
                            const ListOptions& options, Random& random) const {
    const auto fast =
        static_cast<size_t>(options.share_of_fastest * static_cast<double>(lists_.length));
    const size_t pool = std::min(options.fastest_pool, order.size());
    std::vector<int32_t> rows;
    for (size_t i = 0; i < lists_.length; ++i) {
      const size_t rank = random.below(i < fast ? pool : order.size());
      rows.push_back(first + static_cast<int32_t>(order[rank]));
    }
    return rows;
  }

  void add_list(const std::vector<int32_t>& rows, uint64_t group) {
    lists_.rows.insert(lists_.rows.end(), rows.begin(), rows.end());
    lists_.rows.resize(lists_.rows.size() + lists_.length - rows.size(), -1);
    lists_.group.push_back(group);
  }

  const LearningView& view_;
  TrainingLists lists_;
};

using ExamplesOf = std::function<std::vector<Example>(size_t problem)>;

TrainingLists build(const LearningView& view, const ListOptions& options,
                    const ExamplesOf& examples_of) {
  std::vector<std::vector<Example>> all;
  size_t length = 1;
  for (const size_t problem : view.chosen) {
    all.push_back(examples_of(problem));
    const size_t count = all.back().size();
    length = std::max(length, count <= options.most_whole ? count : options.most_length);
  }
  ListBuilder builder(view, length);
  for (size_t i = 0; i < all.size(); ++i) {
    builder.add_problem(all[i], shape_group(view.problems[view.chosen[i]].problem), options);
  }
  return builder.take();
}

// Examples of the configs that ran, with y = ln(time / unit).
std::vector<Example> that_ran(const LearningView& view, size_t problem, double unit_s) {
  const std::vector<double>& seconds = view.problems[problem].seconds;
  std::vector<Example> examples;
  for (size_t i = 0; i < seconds.size(); ++i) {
    if (std::isnan(seconds[i])) continue;
    examples.push_back({view.matrix.first[problem] + i, std::log(seconds[i] / unit_s)});
  }
  return examples;
}

}  // namespace

TrainingLists rank_lists(const LearningView& view, const ListOptions& options) {
  return build(view, options, [&](size_t problem) {
    const std::vector<double>& seconds = view.problems[problem].seconds;
    return that_ran(view, problem, seconds[fastest(seconds)]);
  });
}

TrainingLists level_lists(const LearningView& view, const ListOptions& options) {
  return build(view, options, [&](size_t problem) {
    return that_ran(view, problem, view.matrix.roof_s[problem]);
  });
}

TrainingLists failure_lists(const LearningView& view, const ListOptions& options) {
  return build(view, options, [&](size_t problem) {
    const std::vector<double>& seconds = view.problems[problem].seconds;
    std::vector<Example> examples;
    for (size_t i = 0; i < seconds.size(); ++i) {
      const size_t row = view.matrix.first[problem] + i;
      if (view.matrix.fits[row] != 0) examples.push_back({row, std::isnan(seconds[i]) ? 1.0 : 0.0});
    }
    return examples;
  });
}

TrainingLists vendor_lists(const LearningView& view) {
  return build(view, {}, [&](size_t problem) {
    std::vector<Example> examples;
    const auto& vendor = view.problems[problem].vendor_s;
    if (vendor) {
      examples.push_back(
          {view.matrix.first[problem], std::log(*vendor / view.matrix.roof_s[problem])});
    }
    return examples;
  });
}

}  // namespace triode::train
