// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/shared_words.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace triode::cache_tool {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void append_word(const std::string& word, std::string& text) {
  text += (text.empty() ? "" : " ") + word;
}

}  // namespace

SharedWords share_words(std::span<const std::string> texts) {
  SharedWords answer;
  if (texts.empty()) return answer;
  const std::vector<std::string> first = words_of(texts[0]);
  std::set<std::string> shared(first.begin(), first.end());
  for (const std::string& text : texts) {
    const std::vector<std::string> words = words_of(text);
    std::erase_if(shared, [&](const std::string& word) {
      return std::find(words.begin(), words.end(), word) == words.end();
    });
  }
  for (const std::string& word : first) {
    if (shared.contains(word)) append_word(word, answer.shared);
  }
  for (const std::string& text : texts) {
    std::string& rest = answer.rest.emplace_back();
    for (const std::string& word : words_of(text)) {
      if (!shared.contains(word)) append_word(word, rest);
    }
    if (rest.empty()) rest = text;
  }
  return answer;
}

}  // namespace triode::cache_tool
