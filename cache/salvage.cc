// SPDX-License-Identifier: Apache-2.0
#include "cache/salvage.h"

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cache/database.h"

namespace triode {
namespace {

// Bytes that a midpoint goes beyond what its ends share: enough to come between any two keys that
// are not neighbours, for all practical purposes.
constexpr size_t kMidpointBytes = 6;
constexpr int kMostProbes = 256;

uint64_t fraction_of(const std::string& text, size_t from) {
  uint64_t value = 0;
  for (size_t i = 0; i < kMidpointBytes; ++i) {
    const bool has = from + i < text.size();
    value = value << 8 | (has ? static_cast<unsigned char>(text[from + i]) : 0u);
  }
  return value;
}

// A text about halfway between two; empty if there is no room.
std::optional<std::string> midpoint(const std::string& low, const std::string& high) {
  const auto differ = std::mismatch(low.begin(), low.end(), high.begin(), high.end());
  const auto shared = static_cast<size_t>(differ.first - low.begin());
  const uint64_t below = fraction_of(low, shared);
  const uint64_t above = fraction_of(high, shared);
  if (above - below < 2) return std::nullopt;
  uint64_t middle = below + (above - below) / 2;
  std::string text = low.substr(0, shared);
  for (size_t i = kMidpointBytes; i-- > 0;) text += static_cast<char>(middle >> (8 * i) & 0xFF);
  return text;
}

class Walk {
 public:
  Walk(const Database& database, Family family, const SalvageVisitor& visitor)
      : database_(database), family_(family), visitor_(visitor) {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    at_.reset(database.rocksdb().NewIterator(options, database.family(family)));
  }

  Status run() {
    at_->SeekToFirst();
    while (true) {
      std::string last;
      for (; at_->Valid(); at_->Next()) {
        last = at_->key().ToString();
        TRIODE_TRY(visitor_.record(last, at_->value().ToStringView()));
      }
      if (at_->status().ok()) return {};
      if (last.empty()) last = last_gap_;
      visitor_.gap(last, at_->status().ToString());
      const std::optional<std::string> next = next_readable(last);
      if (!next) return {};
      last_gap_ = *next;
      at_->Seek(*next);
    }
  }

 private:
  // Where files begin, behind `key`, and the last key of all.
  std::vector<std::string> places_behind(const std::string& key) const {
    std::vector<rocksdb::LiveFileMetaData> files;
    database_.rocksdb().GetLiveFilesMetaData(&files);
    std::vector<std::string> places;
    for (const rocksdb::LiveFileMetaData& file : files) {
      if (file.column_family_name != name_of(family_)) continue;
      if (file.smallestkey > key) places.push_back(file.smallestkey);
      if (file.largestkey > key) places.push_back(file.largestkey);
    }
    std::sort(places.begin(), places.end());
    return places;
  }

  // The first key at or behind `place`, if it can be read.
  std::optional<std::string> read_at(const std::string& place) {
    at_->Seek(place);
    return at_->Valid() ? std::optional(at_->key().ToString()) : std::nullopt;
  }

  // A readable key behind `key`, the first behind the damage as far as halving finds it.
  std::optional<std::string> next_readable(const std::string& key) {
    for (const std::string& place : places_behind(key)) {
      std::optional<std::string> found = read_at(place);
      if (!found || *found <= key) continue;
      std::string low = key;
      std::string high = *found;
      for (int probe = 0; probe < kMostProbes; ++probe) {
        const std::optional<std::string> middle = midpoint(low, high);
        if (!middle) break;
        const std::optional<std::string> nearer = read_at(*middle);
        if (nearer && *nearer <= *found) {
          found = nearer;
          high = *middle;
        } else {
          low = *middle;
        }
      }
      return found;
    }
    return std::nullopt;
  }

  const Database& database_;
  const Family family_;
  const SalvageVisitor& visitor_;
  std::unique_ptr<rocksdb::Iterator> at_;
  std::string last_gap_;
};

}  // namespace

Status walk_readable(const Database& database, Family family, const SalvageVisitor& visitor) {
  return Walk(database, family, visitor).run();
}

}  // namespace triode
