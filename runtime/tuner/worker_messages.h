// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/measurement.h"
#include "core/outcome.h"
#include "runtime/tuner/messages.h"

namespace triode::tuner {

// What the tuner and its trial worker say to each other: question, answer. Both are of one build,
// so that nothing here is for good.

struct BeginRequest {
  static constexpr auto kType = static_cast<MessageType>(100);
  VendorCall call;
  std::string target;  // fingerprint that the host saw
  int32_t cores = 0;   // of it
  template <typename Codec>
  void fields(Codec& codec) {
    codec(call, target, cores);
  }
};

struct BeginAnswer {
  static constexpr auto kType = static_cast<MessageType>(101);
  std::string error;     // empty: ready
  double vendor_ns = 0;  // one call
  template <typename Codec>
  void fields(Codec& codec) {
    codec(error, vendor_ns);
  }
};

struct SentMeasurement {
  double median_ns = 0, min_ns = 0, spread = 0;
  int32_t count = 0;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(median_ns, min_ns, spread, count);
  }

  static SentMeasurement from(const Measurement& m) {
    return {m.median_ns, m.min_ns, m.spread, m.count};
  }
  Measurement to_measurement() const { return {median_ns, min_ns, spread, count}; }
};

// What is to be done with a config. Each checks it first, all but kTry on all contents.
enum class TrialPurpose : uint8_t { kTry, kCheck, kRace };

struct TrialRequest {
  static constexpr auto kType = static_cast<MessageType>(102);
  std::string config;
  TrialPurpose purpose = TrialPurpose::kTry;
  int64_t race_budget_ns = 0;  // of kRace
  // Of a config for a GPU: a CudaProgram. Else empty, and the worker makes it.
  std::string code = {};
  template <typename Codec>
  void fields(Codec& codec) {
    codec(config, purpose, race_budget_ns, code);
  }
};

struct TrialAnswer {
  static constexpr auto kType = static_cast<MessageType>(103);
  OutcomeKind outcome = OutcomeKind::kOk;
  std::string reason;
  uint64_t code_digest = 0;
  SentMeasurement candidate, vendor;  // a try fills the first alone, a check none
  double speedup = 0, speedup_spread = 0;
  int32_t rejected = 0;
  bool is_last = false;  // the worker is of no use after what it ran: start another
  template <typename Codec>
  void fields(Codec& codec) {
    codec(outcome, reason, code_digest, candidate, vendor, speedup, speedup_spread, rejected,
          is_last);
  }
};

}  // namespace triode::tuner
