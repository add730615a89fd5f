// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "learner/model/policy.h"
#include "learner/model/slow_learner.h"

namespace triode::eval_tool {

// What `triode eval --help` prints.
std::string_view help_text();

enum class SplitKind : uint8_t { kAll, kGrouped, kShift, kEach };
std::string_view to_string(SplitKind kind);  // "all", "grouped", "shift", "each"

// The command line of `triode eval`.
struct EvalOptions {
  bool help = false;
  bool version = false;
  bool json = false;
  bool quiet = false;
  std::vector<std::string> data;
  std::vector<std::string> caches;  // folders of `triode collect`
  std::string device;               // of files without a device column
  std::string model = "gpu";        // a snapshot's file, or the name of a shipped one
  SplitKind split = SplitKind::kAll;
  size_t folds = 4;
  std::vector<size_t> ks = {1, 3, 5, 8};
  bool online = false;
  size_t timings = 3;  // of each problem, online
  size_t batch = 3;    // timed before the model learns, online
  size_t orders = 5;   // in which problems arrive, online
  PolicyKind policy = PolicyKind::kReserved;
  // Problems between rounds of slow learning, online; 0: learns in closed form alone.
  size_t slow = SlowLearnerOptions{}.problems_between;
  bool peers = true;               // ask other projects too, as far as they are installed
  std::string python = "python3";  // the Python that has them
  int32_t members = 0;             // 0: the recipe's
  int32_t epochs = 0;
  int32_t threads = 1;
  uint64_t seed = 0;
  size_t hold_out = 0;      // above 1: only the part that `triode train --hold-out` left out
  std::string predictions;  // file that gets what the model says of every config
  std::string hardware;     // only timings of this device
  std::string op;           // only timings of this operation
};

// Takes the arguments after `triode eval`. kInvalidArgument says what is wrong.
Result<EvalOptions> parse_eval_options(const std::vector<std::string>& arguments);

}  // namespace triode::eval_tool
