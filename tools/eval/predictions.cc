// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/predictions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "learner/train/choice_judge.h"

namespace triode::eval_tool {
namespace {

constexpr double kMsPerSecond = 1e3;
constexpr const char* kFirstLine =
    "device\tsource\tproblem\tconfig\tmeasured_ms\tpredicted_ms\tplace\tvendor_ms\n";

std::string milliseconds(double seconds) {
  if (!std::isfinite(seconds)) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", seconds * kMsPerSecond);
  return text;
}

// Puts the configs that are not in `order` behind it, by their score.
Status complete(const train::TimedProblem& timed, const CostModel& model,
                std::vector<size_t>& order) {
  std::vector<size_t> place(timed.configs.size(), SIZE_MAX);
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  if (order.size() == timed.configs.size()) return {};
  const std::vector<double> scores =
      TRIODE_TRY(model.uncorrected_scores(timed.task(), timed.configs));
  std::vector<size_t> rest;
  for (size_t config = 0; config < place.size(); ++config) {
    if (place[config] == SIZE_MAX) rest.push_back(config);
  }
  std::ranges::stable_sort(rest, [&](size_t a, size_t b) { return scores[a] < scores[b]; });
  order.insert(order.end(), rest.begin(), rest.end());
  return {};
}

void append_problem(const train::TimedProblem& timed, const Prediction& prediction,
                    std::string& out) {
  const std::string head =
      timed.device->name + "\t" + timed.source + "\t" + to_string(timed.problem) + "\t";
  const std::string vendor = timed.vendor_s ? milliseconds(*timed.vendor_s) : "";
  for (size_t place = 0; place < prediction.order.size(); ++place) {
    const size_t config = prediction.order[place];
    const double predicted = prediction.seconds.empty() ? NAN : prediction.seconds[config];
    out += head + timed.space->to_string(timed.configs[config]) + "\t" +
           milliseconds(timed.seconds[config]) + "\t" + milliseconds(predicted) + "\t" +
           std::to_string(place + 1) + "\t" + vendor + "\n";
  }
}

}  // namespace

Status predict(std::span<const train::TimedProblem> problems, std::span<const size_t> chosen,
               const CostModel& model, std::vector<Prediction>& predictions) {
  const train::Ranker ranker = train::rank_by(model);
  for (const size_t problem : chosen) {
    const train::TimedProblem& timed = problems[problem];
    Prediction prediction{.problem = problem, .order = TRIODE_TRY(ranker(timed)), .seconds = {}};
    TRIODE_TRY(complete(timed, model, prediction.order));
    auto level = model.level(timed.task(), timed.configs);
    if (level.ok()) {
      prediction.seconds = std::move(level).take();
    } else if (level.status().code() != StatusCode::kUnsupported) {
      return level.status();
    }
    predictions.push_back(std::move(prediction));
  }
  return {};
}

Status write_predictions(const std::string& path, std::span<const train::TimedProblem> problems,
                         std::span<const Prediction> predictions) {
  std::string text = kFirstLine;
  for (const Prediction& prediction : predictions) {
    append_problem(problems[prediction.problem], prediction, text);
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return file ? Status() : unavailable("cannot write " + path);
}

}  // namespace triode::eval_tool
