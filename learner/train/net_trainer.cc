// SPDX-License-Identifier: Apache-2.0
// The only file of the learner that includes libtorch: its headers take most of a minute to
// compile.
#include "learner/train/net_trainer.h"

#include <ATen/Parallel.h>
#include <torch/optim/adamw.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numbers>
#include <string>

#include "core/random.h"

namespace triode::train {
namespace {

using at::Tensor;

constexpr double kWarmUp = 0.1;       // share of the steps in which the learning rate rises
constexpr double kMostLogTime = 1.5;  // ln; how bad a config is beyond this teaches nothing
constexpr double kNoPlace = -1e9;     // added to the score of an empty place
// Epochs between looks at the held-out part: a look costs a third of an epoch.
constexpr int32_t kLookEvery = 5;
// Looks begin after this share of the epochs: before, the learning rate is too high for the weights
// to be more than a lucky moment.
constexpr double kFirstLook = 0.5;

Tensor activate(const Tensor& x, Activation activation) {
  return activation == Activation::kRelu ? at::relu(x) : at::silu(x);
}

// Members side by side: one batched product does the work of all.
struct Ensemble {
  std::vector<Tensor> weights;  // member x in x out
  std::vector<Tensor> biases;   // member x 1 x out
  Activation activation = Activation::kRelu;

  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all = weights;
    all.insert(all.end(), biases.begin(), biases.end());
    return all;
  }

  // rows x in -> member x rows
  Tensor forward(const Tensor& x) const {
    Tensor h = x.unsqueeze(0).expand({weights[0].size(0), x.size(0), x.size(1)});
    for (size_t layer = 0; layer < weights.size(); ++layer) {
      h = at::baddbmm(biases[layer], h, weights[layer]);
      if (layer + 1 < weights.size()) h = activate(h, activation);
    }
    return h.squeeze(2);
  }
};

Tensor normal(at::IntArrayRef shape, double scale, Random& random) {
  Tensor tensor = at::empty(shape, at::kFloat);
  float* out = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    out[i] = static_cast<float>(scale * radius * std::cos(2 * std::numbers::pi * random.uniform()));
  }
  return tensor;
}

Ensemble fresh_ensemble(int64_t inputs, const NetRecipe& recipe, Random& random) {
  Ensemble ensemble;
  ensemble.activation = recipe.activation;
  int64_t width = inputs;
  for (const int32_t hidden : recipe.hidden) {
    const double scale = std::sqrt(2.0 / static_cast<double>(width));  // keeps relu's variance
    ensemble.weights.push_back(normal({recipe.members, width, hidden}, scale, random));
    ensemble.biases.push_back(at::zeros({recipe.members, 1, hidden}));
    width = hidden;
  }
  // Small, so that the first predictions are near zero.
  const double scale = 0.1 / std::sqrt(static_cast<double>(width));
  ensemble.weights.push_back(normal({recipe.members, width, 1}, scale, random));
  ensemble.biases.push_back(at::zeros({recipe.members, 1, 1}));
  for (const Tensor& parameter : ensemble.parameters()) parameter.set_requires_grad(true);
  return ensemble;
}

// The lists as tensors.
struct Batches {
  Tensor x;     // rows x features
  Tensor y;     // list x place
  Tensor mask;  // list x place: 1 where a config stands
  Tensor row;   // list x place; 0 where none does
};

Batches to_tensors(const TrainingLists& lists) {
  const auto count = static_cast<int64_t>(lists.list_count());
  const auto length = static_cast<int64_t>(lists.length);
  const auto features = static_cast<int64_t>(lists.features);
  Batches batches;
  batches.x = at::empty({static_cast<int64_t>(lists.x.size()) / features, features}, at::kFloat);
  std::copy(lists.x.begin(), lists.x.end(), batches.x.data_ptr<float>());
  batches.y = at::zeros({count, length}, at::kFloat);
  batches.mask = at::zeros({count, length}, at::kFloat);
  batches.row = at::zeros({count, length}, at::kLong);
  for (int64_t place = 0; place < count * length; ++place) {
    const int32_t row = lists.rows[static_cast<size_t>(place)];
    if (row < 0) continue;
    batches.y.data_ptr<float>()[place] = lists.y[static_cast<size_t>(row)];
    batches.mask.data_ptr<float>()[place] = 1;
    batches.row.data_ptr<int64_t>()[place] = row;
  }
  return batches;
}

// member x list
Tensor rank_loss(const Tensor& scores, const Tensor& y_raw, const Tensor& mask,
                 const NetRecipe& recipe) {
  const Tensor y = at::clamp_max(y_raw, kMostLogTime);
  Tensor weight = mask / (at::clamp_max(y, 1.0) + recipe.near_best);
  weight = weight / weight.sum(1, true);
  const Tensor error = scores - y;
  const Tensor centred = error - (weight * error).sum(-1, true);
  const Tensor squared = (weight * centred.square()).sum(-1);
  const Tensor absent = (1 - mask) * kNoPlace;
  const Tensor guess = at::log_softmax(scores / -recipe.temperature + absent, -1);
  const Tensor truth = at::softmax(y / -recipe.temperature + absent, -1);
  const Tensor listwise = (truth * guess * mask).sum(-1);
  return squared * recipe.squared_weight - listwise * recipe.listwise_weight;
}

Tensor loss_of(const Tensor& scores, const Tensor& y, const Tensor& mask, const NetRecipe& recipe) {
  if (recipe.objective == Objective::kRank) return rank_loss(scores, y, mask, recipe);
  const Tensor each =
      recipe.objective == Objective::kSquaredError
          ? (scores - y).square()
          // ln(1 + e^s) - y s, without overflow
          : at::clamp_min(scores, 0) - scores * y + at::log1p(at::exp(-at::abs(scores)));
  return (each * mask).sum(-1) / mask.sum(1);
}

// What the held-out part is judged by, member x list: of a ranking, what its first choice costs.
Tensor criterion(const Tensor& scores, const Tensor& y, const Tensor& mask,
                 const NetRecipe& recipe) {
  if (recipe.objective != Objective::kRank) return loss_of(scores, y, mask, recipe);
  const Tensor first = (scores - (1 - mask) * kNoPlace).argmin(-1, true);
  const Tensor cost = at::clamp_max(y, kMostLogTime).unsqueeze(0).expand_as(scores);
  return cost.gather(-1, first).squeeze(-1);
}

double scheduled(double step, double steps, double peak) {
  const double rise = kWarmUp * steps;
  if (step < rise) return peak * (step + 1) / (rise + 1);
  return peak * 0.5 * (1 + std::cos(std::numbers::pi * (step - rise) / (steps - rise + 1)));
}

class Training {
 public:
  Training(const TrainingLists& lists, const NetRecipe& recipe)
      : recipe_(recipe), random_(recipe.seed), batches_(to_tensors(lists)) {
    ensemble_ = fresh_ensemble(static_cast<int64_t>(lists.features), recipe, random_);
    split(lists);
    held_out_ = (1 - trains_).sum(1);
    best_loss_.assign(static_cast<size_t>(recipe.members), INFINITY);
    for (const Tensor& parameter : ensemble_.parameters()) {
      best_.push_back(parameter.detach().clone());
    }
  }

  Status run(const ProgressSink& progress) {
    torch::optim::AdamW optimiser(
        ensemble_.parameters(),
        torch::optim::AdamWOptions(recipe_.learning_rate).weight_decay(recipe_.weight_decay));
    for (int32_t epoch = 0; epoch < recipe_.epochs; ++epoch) {
      TrainingProgress state{.epoch = epoch + 1, .epochs = recipe_.epochs};
      state.training_loss = run_epoch(epoch, optimiser);
      if (is_look_due(epoch)) held_out_loss_ = keep_best(epoch);
      state.held_out_loss = held_out_loss_;
      if (progress && !progress(state)) return unavailable("the training was stopped");
      if (is_patience_over(epoch)) break;
    }
    return {};
  }

  std::vector<Net> nets() const {
    std::vector<Net> nets(static_cast<size_t>(recipe_.members));
    for (Net& net : nets) net.activation = recipe_.activation;
    const size_t layers = ensemble_.weights.size();
    for (size_t layer = 0; layer < layers; ++layer) {
      const Tensor weights = best_[layer].transpose(1, 2).contiguous();
      const Tensor& bias = best_[layers + layer];
      const int64_t outputs = weights.size(1);
      const int64_t inputs = weights.size(2);
      for (size_t member = 0; member < nets.size(); ++member) {
        const auto place = static_cast<int64_t>(member);
        const float* w = weights.data_ptr<float>() + place * outputs * inputs;
        const float* b = bias.data_ptr<float>() + place * outputs;
        nets[member].layers.push_back({.inputs = static_cast<int32_t>(inputs),
                                       .outputs = static_cast<int32_t>(outputs),
                                       .weights = {w, w + outputs * inputs},
                                       .bias = {b, b + outputs}});
      }
    }
    return nets;
  }

 private:
  // Each member holds out another part of the groups, so that together they have seen all.
  void split(const TrainingLists& lists) {
    const auto count = static_cast<int64_t>(lists.list_count());
    trains_ = at::ones({recipe_.members, count});
    for (int64_t list = 0; list < count; ++list) {
      order_.push_back(list);
      Random part(lists.group[static_cast<size_t>(list)]);
      auto member = static_cast<int64_t>(part.below(static_cast<uint64_t>(recipe_.held_out_parts)));
      for (; member < recipe_.members; member += recipe_.held_out_parts) {
        trains_.data_ptr<float>()[member * count + list] = 0;
      }
    }
  }

  using Measure = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const NetRecipe&);

  // member x list
  Tensor measured(const Tensor& chosen, Measure measure) const {
    const Tensor rows = batches_.row.index_select(0, chosen).flatten();
    const Tensor scores = ensemble_.forward(batches_.x.index_select(0, rows))
                              .reshape({recipe_.members, chosen.size(0), batches_.y.size(1)});
    return measure(scores, batches_.y.index_select(0, chosen),
                   batches_.mask.index_select(0, chosen), recipe_);
  }

  Tensor batch_at(size_t first) const {
    const size_t size = std::min(order_.size() - first, static_cast<size_t>(recipe_.batch));
    Tensor chosen = at::empty({static_cast<int64_t>(size)}, at::kLong);
    std::copy_n(order_.begin() + static_cast<std::ptrdiff_t>(first), size,
                chosen.data_ptr<int64_t>());
    return chosen;
  }

  bool is_look_due(int32_t epoch) const {
    if (recipe_.patience > 0 || epoch + 1 == recipe_.epochs) return true;
    return (epoch + 1) % kLookEvery == 0 && epoch >= kFirstLook * recipe_.epochs;
  }

  // With nothing held out nothing can get better, and there is nothing to be impatient with.
  bool is_patience_over(int32_t epoch) const {
    return recipe_.patience > 0 && epoch - best_epoch_ >= recipe_.patience &&
           held_out_.sum().item<double>() > 0;
  }

  double run_epoch(int32_t epoch, torch::optim::AdamW& optimiser) {
    for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_.below(i)]);
    const auto batch = static_cast<size_t>(recipe_.batch);
    const double steps_each = std::ceil(static_cast<double>(order_.size()) / recipe_.batch);
    double step = epoch * steps_each;
    double sum = 0;
    for (size_t first = 0; first < order_.size(); first += batch) {
      const double rate = scheduled(step++, recipe_.epochs * steps_each, recipe_.learning_rate);
      static_cast<torch::optim::AdamWOptions&>(optimiser.param_groups()[0].options()).lr(rate);
      const Tensor chosen = batch_at(first);
      const Tensor used = trains_.index_select(1, chosen);
      // Summed over members, so that each learns as if it were alone.
      const Tensor loss =
          (measured(chosen, loss_of) * used).sum() / static_cast<double>(chosen.size(0));
      optimiser.zero_grad();
      loss.backward();
      optimiser.step();
      sum += loss.item<double>();
    }
    return sum / steps_each / recipe_.members;
  }

  // Keeps each member's weights if its own held-out part was never predicted better. Few groups
  // leave parts empty: a member of such a part has nothing to be judged by, and keeps its last
  // weights.
  double keep_best(int32_t epoch) {
    const at::NoGradGuard no_grad;
    Tensor sum = at::zeros({recipe_.members});
    for (size_t first = 0; first < order_.size(); first += static_cast<size_t>(recipe_.batch)) {
      const Tensor chosen = batch_at(first);
      sum += (measured(chosen, criterion) * (1 - trains_.index_select(1, chosen))).sum(1);
    }
    const Tensor mean = sum / at::clamp_min(held_out_, 1);
    const std::vector<Tensor> now = ensemble_.parameters();
    for (int64_t member = 0; member < recipe_.members; ++member) {
      const double loss = mean[member].item<double>();
      double& least = best_loss_[static_cast<size_t>(member)];
      const bool is_judged = held_out_[member].item<double>() > 0;
      if (is_judged && !(loss < least)) continue;
      if (is_judged) {
        least = loss;
        best_epoch_ = epoch;
      }
      for (size_t p = 0; p < now.size(); ++p) best_[p][member].copy_(now[p][member]);
    }
    const auto judged = at::gt(held_out_, 0).sum().item<double>();
    return judged > 0 ? mean.sum().item<double>() / judged : INFINITY;
  }

  const NetRecipe recipe_;
  Random random_;
  Batches batches_;
  Ensemble ensemble_;
  Tensor trains_;    // member x list: 1 where the member may learn from the list
  Tensor held_out_;  // of each member: lists that it may not learn from
  std::vector<int64_t> order_;
  double held_out_loss_ = INFINITY;  // at the last look
  int32_t best_epoch_ = 0;           // when a member last got better
  std::vector<double> best_loss_;
  std::vector<Tensor> best_;  // as Ensemble::parameters
};

Status check(const TrainingLists& lists, const NetRecipe& recipe) {
  if (lists.list_count() == 0 || lists.features == 0) {
    return invalid_argument("nothing to train on");
  }
  if (lists.group.size() != lists.list_count() ||
      lists.x.size() != lists.features * lists.y.size()) {
    return invalid_argument("the training lists do not fit each other");
  }
  if (recipe.members < 1 || recipe.epochs < 1 || recipe.batch < 1 || recipe.held_out_parts < 2) {
    return invalid_argument("a recipe needs a member, an epoch, a batch and two parts at least");
  }
  if (recipe.patience < 0) return invalid_argument("a patience below zero");
  return {};
}

Tensor apply(const DenseLayer& dense, const Tensor& x) {
  Tensor weights = at::empty({dense.outputs, dense.inputs}, at::kFloat);
  std::copy(dense.weights.begin(), dense.weights.end(), weights.data_ptr<float>());
  Tensor bias = at::empty({dense.outputs}, at::kFloat);
  std::copy(dense.bias.begin(), dense.bias.end(), bias.data_ptr<float>());
  return at::addmm(bias, x, weights.t());
}

}  // namespace

Result<std::vector<Net>> train_nets(const TrainingLists& lists, const NetRecipe& recipe,
                                    const ProgressSink& progress) {
  TRIODE_TRY(check(lists, recipe));
  try {
    at::set_num_threads(recipe.threads);
    Training training(lists, recipe);
    TRIODE_TRY(training.run(progress));
    return training.nets();
  } catch (const std::exception& error) {
    return internal_error(std::string("libtorch failed in training: ") + error.what());
  }
}

Result<std::vector<float>> evaluate_net(const Net& net, size_t features,
                                        const std::vector<float>& x) {
  try {
    const at::NoGradGuard no_grad;
    const auto width = static_cast<int64_t>(features);
    Tensor h = at::empty({static_cast<int64_t>(x.size() / features), width}, at::kFloat);
    std::copy(x.begin(), x.end(), h.data_ptr<float>());
    for (size_t layer = 0; layer < net.layers.size(); ++layer) {
      h = apply(net.layers[layer], h);
      if (layer + 1 == net.layers.size()) break;
      h = activate(h, net.activation);
    }
    h = h.flatten().contiguous();
    return std::vector<float>(h.data_ptr<float>(), h.data_ptr<float>() + h.numel());
  } catch (const std::exception& error) {
    return internal_error(std::string("libtorch failed to evaluate a net: ") + error.what());
  }
}

}  // namespace triode::train
