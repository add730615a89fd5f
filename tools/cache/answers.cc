// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/answers.h"

namespace triode::cache_tool {

Validity latest_validity(std::span<const KeyedTrial> trials) {
  const KeyedTrial* latest = nullptr;
  for (const KeyedTrial& trial : trials) {
    if (!trial.record.origin.empty()) continue;
    if (latest == nullptr || trial.record.when_unix_s > latest->record.when_unix_s) latest = &trial;
  }
  return latest == nullptr ? Validity{} : latest->key.validity;
}

std::string why_no_answer(const KeyedTrial& trial, const Validity& latest) {
  if (!trial.record.origin.empty()) return "imported from " + trial.record.origin;
  return why_prior(trial.key.validity, latest);
}

}  // namespace triode::cache_tool
