// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cache/keyed_trial.h"
#include "core/status.h"

namespace triode::bench {

// A place to keep trials, as the benchmark uses it. For one thread.
class CacheContestant {
 public:
  virtual ~CacheContestant() = default;
  virtual std::string_view name() const = 0;
  // Opens what is there, or makes it. Ready to answer when it returns.
  virtual Status open() = 0;
  virtual void close() = 0;
  // On the disk when it returns.
  virtual Status write(std::span<const KeyedTrial> trials) = 0;
  // The median time stored under this key; an error if there is none.
  virtual Result<double> get(const SampleKey& key) = 0;
  // Takes as little room as it can.
  virtual Status compact() = 0;
  virtual std::int64_t disk_bytes() const = 0;
};

// Triode's own, and SQLite with a write-ahead log. Each gets a folder of its own, which exists.
std::unique_ptr<CacheContestant> make_own_cache(const std::string& folder);
std::unique_ptr<CacheContestant> make_sqlite_cache(const std::string& folder);
// Lines of text, all read into memory when it opens, as PyTorch's TunableOp does it. compact()
// writes the file.
std::unique_ptr<CacheContestant> make_csv_cache(const std::string& folder);

}  // namespace triode::bench
