// SPDX-License-Identifier: Apache-2.0
#include "tools/report/calls_made.h"

#include <map>
#include <string>
#include <utility>

#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/tuner_question.h"
#include "tools/report/device_text.h"

namespace triode::report_tool {
namespace {

// As a tuner names the target of a problem.
std::string sent_target(const std::string& device) {
  const Result<Target> target = parse_device(device);
  if (!target.ok()) return device;
  return target->device + ", " + std::to_string(target->cores) + " cores";
}

}  // namespace

void add_calls(std::span<const tuner::SentProblem> sent, ReportFacts& facts) {
  std::map<std::pair<std::string, std::string>, ProblemFact*> known;
  for (ProblemFact& fact : facts.problems) known[{sent_target(fact.device), fact.text}] = &fact;
  for (const tuner::SentProblem& problem : sent) {
    const auto fact = known.find({problem.target, problem.problem});
    if (fact == known.end()) continue;
    CallsFact& calls = fact->second->calls;
    calls.count += problem.use.vendor_calls + problem.use.plan_calls;
    calls.total_ns += problem.use.total_ns();
    // What the plan's calls would have taken more from the vendor.
    if (problem.speedup > 0) calls.saved_ns += problem.use.plan_ns * (problem.speedup - 1);
  }
}

void add_calls_of_tuner(const std::string& cache_folder, ReportFacts& facts) {
  // The page is made all the same where nobody answers.
  const auto place = tuner::find_meeting_place(cache_folder);
  if (!place.ok()) return;
  auto socket = tuner::connect_to_tuner(*place);
  if (!socket.ok()) return;
  const auto answer = tuner::ask_tuner(std::move(socket).take(), false);
  if (answer.ok()) add_calls(answer->problems, facts);
}

}  // namespace triode::report_tool
