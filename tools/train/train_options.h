// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode::train_tool {

// What `triode train --help` prints.
std::string_view help_text();

// The command line of `triode train`.
struct TrainOptions {
  bool help = false;
  bool version = false;
  bool json = false;
  bool quiet = false;
  std::vector<std::string> data;
  std::vector<std::string> caches;  // folders of `triode collect`
  std::string device;               // of files without a device column
  std::vector<std::string> except;  // files whose shapes are left out of the training
  std::string output;
  std::string name = "gpu";
  std::string card;     // Markdown file that opens the model card
  int32_t members = 0;  // 0: the recipe's
  int32_t epochs = 0;   // 0: the recipe's
  int32_t threads = 1;
  uint64_t seed = 0;
};

// Takes the arguments after `triode train`. kInvalidArgument says what is wrong.
Result<TrainOptions> parse_train_options(const std::vector<std::string>& arguments);

}  // namespace triode::train_tool
