// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace triode::cache_tool {

// Texts of words, such as configs, cut into what all of them say and what is each one's own.
struct SharedWords {
  std::string shared;             // words that every text has, in the order of the first
  std::vector<std::string> rest;  // of each text; the whole text where nothing else is left
};

SharedWords share_words(std::span<const std::string> texts);

}  // namespace triode::cache_tool
