// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/gpu_findings.h"

#include <algorithm>
#include <string>

namespace triode::doctor_tool {
namespace {

// What to do about a step that failed.
std::string fix_for(const std::string& kind) {
  if (kind == "driver" || kind == "device") {
    return "run this where nvidia-smi shows a GPU; Triode's CPU side needs none";
  }
  if (kind == "triton") return "TRIODE_PYTHON names an interpreter that can import triton";
  return "send the report (-o FILE) with an issue; the vendor's kernel runs meanwhile";
}

struct Kind {
  std::string name;
  std::vector<const SelfTestStep*> steps;
};

std::vector<Kind> kinds_of(const std::vector<SelfTestStep>& steps) {
  std::vector<Kind> kinds;
  for (const SelfTestStep& step : steps) {
    auto known = std::find_if(kinds.begin(), kinds.end(),
                              [&](const Kind& each) { return each.name == step.kind; });
    if (known == kinds.end()) known = kinds.insert(kinds.end(), Kind{step.kind, {}});
    known->steps.push_back(&step);
  }
  return kinds;
}

std::string described(const SelfTestStep& step) {
  return step.name.empty() ? step.text : step.name + ": " + step.text;
}

Finding finding_of(const Kind& kind) {
  const std::string subject = "gpu " + kind.name;
  const SelfTestStep* first_failed = nullptr;
  size_t failed = 0, passed = 0;
  for (const SelfTestStep* const step : kind.steps) {
    if (step->result == SelfTestResult::kPassed) ++passed;
    if (step->result != SelfTestResult::kFailed) continue;
    if (failed++ == 0) first_failed = step;
  }
  const std::string count = std::to_string(kind.steps.size());
  if (failed > 0) {
    const std::string of =
        kind.steps.size() == 1 ? "" : std::to_string(failed) + " of " + count + " failed; ";
    return {subject, Health::kBad, of + described(*first_failed), fix_for(kind.name)};
  }
  if (passed == 0) return {subject, Health::kRemark, "not tried: " + kind.steps[0]->text, ""};
  if (kind.steps.size() == 1) return {subject, Health::kGood, described(*kind.steps[0]), ""};
  return {subject, Health::kGood, std::to_string(passed) + " of " + count + " right", ""};
}

}  // namespace

Findings gpu_findings(const std::vector<SelfTestStep>& steps) {
  Findings findings;
  for (const Kind& kind : kinds_of(steps)) findings.push_back(finding_of(kind));
  return findings;
}

}  // namespace triode::doctor_tool
