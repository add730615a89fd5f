// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"
#include "runtime/tuner/publish_rule.h"

namespace triode::tuner {

enum class Command : uint8_t { kHelp, kVersion, kStart, kStop, kStatus, kLogs, kServe, kWorker };

struct TunerOptions {
  Command command = Command::kHelp;
  bool json = false;
  bool quiet = false;
  std::string cache;  // folder; empty: the user's
  double idle_seconds = 600;
  double cpu_share = 0.05;  // of one core, on a busy machine
  double margin = PublishRule{}.margin;
  std::string model;    // file of a snapshot, or "none"; empty: the shipped one
  std::string metrics;  // file for Prometheus; empty: none
  int lines = 20;       // of logs
};

// The words after the program's name. Flags beat variables. kInvalidArgument says what is wrong.
Result<TunerOptions> parse_tuner_options(std::vector<std::string> words);

}  // namespace triode::tuner
