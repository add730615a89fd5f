// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/exchange_table.h"

#include <algorithm>
#include <utility>

namespace triode::exchange {

bool is_better(const ExchangeRow& a, const ExchangeRow& b) {
  const auto rank = [](const ExchangeRow& row) {
    const bool is_timed = row.outcome.ok() && row.measurement.count > 0;
    return std::pair(!is_timed, is_timed ? row.measurement.median_ns : 0);
  };
  return rank(a) < rank(b);
}

void DropList::add(std::string_view reason, std::string_view example) {
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.reason == reason; });
  if (known != entries_.end()) {
    ++known->count;
  } else {
    entries_.push_back({std::string(reason), 1, std::string(example.substr(0, 200))});
  }
}

void DropList::add_all(const DropList& other) {
  for (const Entry& entry : other.entries_) {
    add(entry.reason, entry.example);
    const auto known = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& e) { return e.reason == entry.reason; });
    known->count += entry.count - 1;
  }
}

int64_t DropList::count() const {
  int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.count;
  return sum;
}

}  // namespace triode::exchange
