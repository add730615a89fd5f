// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  // Of the nets that rank. 0: the recipe's.
  int32_t batch = 0;
  double learning_rate = 0;
  double weight_decay = -1;  // below 0: the recipe's
  int32_t hidden_dim = 0;
  int32_t layers = 0;
  int32_t patience = 0;  // epochs without gain after which a training ends; 0: none
  size_t hold_out = 0;   // above 1: one of so many parts of the shapes is not trained on
  std::string history;   // JSON file that gets the losses of every epoch
  std::string hardware;  // only timings of this device
  std::string op;        // only timings of this operation
  int32_t threads = 1;
  uint64_t seed = 0;
};

// Takes the arguments after `triode train`. kInvalidArgument says what is wrong.
Result<TrainOptions> parse_train_options(const std::vector<std::string>& arguments);

}  // namespace triode::train_tool
