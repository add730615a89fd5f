// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/problem_board.h"

#include <algorithm>
#include <utility>

namespace triode::tuner {

CallFigures ProblemBoard::Row::use() const {
  CallFigures sum = known.use;
  for (const auto& [client, figures] : by_client) sum += figures;
  return sum;
}

ProblemBoard::Row* ProblemBoard::find(const std::string& identity) {
  const auto row = rows_.find(identity);
  return row == rows_.end() ? nullptr : &row->second;
}

bool ProblemBoard::make_room() {
  if (rows_.size() < most_problems_) return true;
  auto least = rows_.end();
  for (auto row = rows_.begin(); row != rows_.end(); ++row) {
    if (!row->second.by_client.empty()) continue;
    const bool is_less =
        least == rows_.end() || row->second.use().total_ns() < least->second.use().total_ns();
    if (is_less) least = row;
  }
  if (least == rows_.end()) return false;
  rows_.erase(least);
  return true;
}

void ProblemBoard::note_use(ClientId client, const std::string& identity, const TunedCall& call,
                            const std::string& problem, const CallFigures& use) {
  Row* row = find(identity);
  if (row == nullptr) {
    if (!make_room()) return;
    row = &rows_[identity];
    row->known.problem = problem;
    row->known.vendor = call.call.vendor();
    row->known.target = call.target.device + ", " + std::to_string(call.target.cores) + " cores";
  }
  row->by_client[client] = use;
}

void ProblemBoard::expect(const std::string& identity, double saving) {
  if (Row* const row = find(identity)) row->known.expected_saving = saving;
}

void ProblemBoard::set_state(const std::string& identity, ProblemState state) {
  if (Row* const row = find(identity)) row->known.state = state;
}

void ProblemBoard::set_plan(const std::string& identity, ProblemState state,
                            const StoredPlan& plan) {
  Row* const row = find(identity);
  if (row == nullptr) return;
  row->known.state = state;
  row->known.config = plan.config;
  row->known.speedup = plan.speedup;
  row->known.vendor_ns = plan.vendor_ns;
  row->known.plan_ns = plan.plan_ns;
  row->known.remark.clear();
}

void ProblemBoard::set_vendor(const std::string& identity, ProblemState state,
                              const std::string& remark) {
  Row* const row = find(identity);
  if (row == nullptr) return;
  row->known.state = state;
  row->known.config.clear();
  row->known.speedup = row->known.vendor_ns = row->known.plan_ns = 0;
  row->known.remark = remark;
}

void ProblemBoard::count_trial(const std::string& identity) {
  if (Row* const row = find(identity)) ++row->known.trials;
}

void ProblemBoard::leave(ClientId client) {
  for (auto& [identity, row] : rows_) {
    const auto left = row.by_client.extract(client);
    if (left) row.known.use += left.mapped();
  }
}

std::vector<SentProblem> ProblemBoard::costliest(size_t most) const {
  std::vector<SentProblem> problems;
  for (const auto& [identity, row] : rows_) {
    SentProblem& problem = problems.emplace_back(row.known);
    problem.use = row.use();
    problem.clients = row.by_client.size();
  }
  std::stable_sort(problems.begin(), problems.end(),
                   [](const SentProblem& a, const SentProblem& b) {
                     return a.use.total_ns() > b.use.total_ns();
                   });
  if (problems.size() > most) problems.resize(most);
  return problems;
}

ProblemBoard::ClientTotal ProblemBoard::total_of(ClientId client) const {
  ClientTotal total;
  for (const auto& [identity, row] : rows_) {
    const auto found = row.by_client.find(client);
    if (found == row.by_client.end()) continue;
    ++total.problems;
    total.use += found->second;
  }
  return total;
}

}  // namespace triode::tuner
