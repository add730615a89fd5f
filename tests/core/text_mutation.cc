// SPDX-License-Identifier: Apache-2.0
#include "tests/core/text_mutation.h"

#include <algorithm>
#include <string_view>

namespace triode {
namespace {

// Half the time a byte that means something to the parsers, else any byte at all.
char random_byte(Random& random) {
  constexpr std::string_view kMeaningful = "0123456789x,=- \tntlfbmabc";
  if (random.below(2) == 0) return kMeaningful[random.below(kMeaningful.size())];
  return static_cast<char>(random.below(256));
}

void edit(std::string& text, Random& random) {
  const size_t at = random.below(text.size() + 1);
  const size_t length = std::min<size_t>(random.below(12), text.size() - at);
  const std::string piece = text.substr(at, length);
  switch (random.below(5)) {
    case 0:
      text.replace(at, std::min<size_t>(1, text.size() - at), 1, random_byte(random));
      break;
    case 1:
      text.insert(at, 1, random_byte(random));
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(random.below(text.size() + 1), piece);
      break;
    default:
      text.resize(at);
      break;
  }
}

}  // namespace

std::string mutated(std::string text, Random& random) {
  const uint64_t edits = 1 + random.below(4);
  for (uint64_t i = 0; i < edits; ++i) edit(text, random);
  return text;
}

}  // namespace triode
