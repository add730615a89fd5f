// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cache/cache.h"
#include "cache/maintenance.h"
#include "tools/bench/cache_contestant.h"

namespace triode::bench {
namespace {

class OwnCache final : public CacheContestant {
 public:
  explicit OwnCache(std::string folder) : path_(std::move(folder) + "/store") {}

  std::string_view name() const override { return "triode"; }

  Status open() override {
    cache_ = TRIODE_TRY(Cache::open(path_, {}));
    return {};
  }
  void close() override { cache_.reset(); }

  Status write(std::span<const KeyedTrial> trials) override {
    return cache_->measurements().append(trials);
  }

  Result<double> get(const SampleKey& key) override {
    const std::optional<TrialRecord> record = TRIODE_TRY(cache_->measurements().get(key));
    if (!record) return not_found("a trial that was written is not there");
    return record->measurement.median_ns;
  }

  Status compact() override {
    TRIODE_TRY(triode::compact(*cache_));
    return {};
  }

  std::int64_t disk_bytes() const override {
    const Result<CacheStats> found = stats(*cache_);
    return found.ok() ? found->disk_bytes : 0;
  }

 private:
  const std::string path_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace

std::unique_ptr<CacheContestant> make_own_cache(const std::string& folder) {
  return std::make_unique<OwnCache>(folder);
}

}  // namespace triode::bench
