// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/messages.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace triode::tuner {
namespace {

// Some hundred bytes each: far below kMostElements and, with the longest configs, kMostAnswerBytes.
constexpr size_t kPlansAtOnce = 4096;

bool is_figure(double value) {
  return std::isfinite(value) && value >= 0;
}

bool is_line(const std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  return !text.empty() && std::none_of(text.begin(), text.end(), is_control);
}

}  // namespace

SentPlan SentPlan::from(const StoredPlan& plan) {
  return {to_string(plan.problem), plan.config,  plan.vendor, plan.code_digest, plan.speedup,
          plan.vendor_ns,          plan.plan_ns, {}};
}

Result<StoredPlan> SentPlan::to_stored() const {
  const Result<Problem> parsed = parse_problem(problem);
  const bool has_figures = is_figure(speedup) && is_figure(vendor_ns) && is_figure(plan_ns);
  if (!parsed.ok() || !has_figures || !is_line(config) || !is_line(vendor)) {
    return corrupt("a plan makes no sense" +
                   (parsed.ok() ? std::string() : ": " + parsed.status().message()));
  }
  return StoredPlan{*parsed, config, vendor, code_digest, speedup, vendor_ns, plan_ns};
}

std::vector<Plans> in_messages(Plans plans) {
  std::vector<Plans> messages(1);
  for (SentPlan& plan : plans.plans) {
    if (messages.back().plans.size() == kPlansAtOnce) {
      messages.back().has_more = true;
      messages.emplace_back();
    }
    messages.back().plans.push_back(std::move(plan));
  }
  return messages;
}

CallFigures& CallFigures::operator+=(const CallFigures& other) {
  vendor_calls += other.vendor_calls;
  vendor_ns += other.vendor_ns;
  plan_calls += other.plan_calls;
  plan_ns += other.plan_ns;
  return *this;
}

Status check_frame(const Frame& frame, uint16_t expected_type) {
  // A refusal is the same in every version, so that one can say why.
  const bool is_refusal = expected_type == static_cast<uint16_t>(MessageType::kRefusal);
  if (frame.version != kProtocolVersion && !is_refusal) {
    return unsupported("the other side speaks version " + std::to_string(frame.version) +
                       " of the tuner's protocol and this one version " +
                       std::to_string(kProtocolVersion) +
                       "; restart what is older ('triode tuner stop' ends a tuner)");
  }
  if (frame.type != expected_type) {
    return corrupt("a message of type " + std::to_string(frame.type) + " came in place of type " +
                   std::to_string(expected_type));
  }
  return {};
}

}  // namespace triode::tuner
