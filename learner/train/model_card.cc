// SPDX-License-Identifier: Apache-2.0
#include "learner/train/model_card.h"

#include <map>
#include <sstream>

namespace triode::train {
namespace {

struct Count {
  size_t problems = 0;
  size_t configs = 0;
};

void list_data(std::ostringstream& out, std::span<const TimedProblem> problems) {
  std::map<std::string, Count> counts;
  for (const TimedProblem& timed : problems) {
    const std::string row = "| " + timed.device->name + " | " + timed.source + " | " +
                            std::string(to_string(timed.family)) + " | " +
                            std::string(to_string(timed.problem.op)) + " | " +
                            std::string(to_string(timed.problem.a_type)) + " | ";
    ++counts[row].problems;
    counts[row].configs += timed.configs.size();
  }
  out << "| device | source | kernels | op | type | problems | configs tried |\n"
      << "|---|---|---|---|---|---|---|\n";
  for (const auto& [row, count] : counts) {
    out << row << count.problems << " | " << count.configs << " |\n";
  }
}

void list_nets(std::ostringstream& out, const Snapshot& snapshot) {
  for (const Net& net : snapshot.nets) {
    out << "- " << to_string(net.role) << ": " << net.inputs.size();
    for (const DenseLayer& layer : net.layers) out << "-" << layer.outputs;
    out << "\n";
  }
  if (snapshot.trees.empty()) return;
  out << "- trees: " << snapshot.trees.tree_count() << " of depth " << snapshot.trees.depth
      << ", with a share of " << snapshot.trees.share << "\n";
}

}  // namespace

std::string model_card(const Snapshot& snapshot, std::span<const TimedProblem> problems,
                       const ModelRecipe& recipe, std::string_view introduction) {
  std::ostringstream out;
  out << introduction;
  if (introduction.empty()) out << "# " << snapshot.name << "\n";
  out << "\n## Trained on\n\n";
  list_data(out, problems);
  out << "\nDigest of the data: " << snapshot.training_digest << "\n\n## Nets\n\n";
  list_nets(out, snapshot);
  out << "\nRecipe: " << to_string(recipe) << "\n";
  return out.str();
}

}  // namespace triode::train
