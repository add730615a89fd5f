// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace triode::cli {
namespace {

// Two slips of the finger in a word of five to nine letters; with three, `run` would be suggested
// for any word of three letters.
constexpr std::size_t kMostEdits = 2;

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view typed,
                                        const std::vector<std::string>& words) {
  std::optional<std::string> best;
  std::size_t best_distance = kMostEdits + 1;
  for (const std::string& word : words) {
    const std::size_t distance = edit_distance(typed, word);
    if (distance < best_distance && distance < word.size()) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace triode::cli
