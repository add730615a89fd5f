// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <utility>

#include "cache/cache.h"
#include "cache/database.h"
#include "cache/maintenance.h"
#include "cache/record_check.h"
#include "cache/record_counts.h"
#include "cache/salvage.h"

namespace triode {
namespace {

constexpr int64_t kRecordsBetweenProgress = 4096;

Status stopped() {
  return unavailable("verifying was stopped");
}

}  // namespace

Result<VerifyReport> verify(const Cache& cache, const Progress& progress) {
  const Database& database = cache.database();
  VerifyReport report;
  int64_t about = 0;
  for (size_t i = 0; i < kFamilyCount; ++i)
    about += about_records(database, static_cast<Family>(i));
  for (size_t i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    const auto note = [&](std::string_view key, std::string reason) {
      ++report.damaged;
      if (report.damages.size() == VerifyReport::kMostDamages) return;
      report.damages.push_back({name_of(family), std::string(key), std::move(reason)});
    };
    SalvageVisitor visitor;
    visitor.record = [&](std::string_view key, std::string_view value) -> Status {
      const Status status = check_record(family, key, value);
      status.ok() ? void(++report.records) : note(key, status.message());
      const int64_t done = report.records + report.damaged;
      const bool is_time = progress && done % kRecordsBetweenProgress == 0;
      return is_time && !progress(done, about) ? stopped() : Status();
    };
    // Reading goes on behind what cannot be read, and may come to the same block of an index again.
    std::set<std::string> blocks;
    visitor.gap = [&](const std::string& last_read, const std::string& reason) {
      if (!blocks.insert(reason).second) return;
      note(last_read, "what follows cannot be read: " + reason);
    };
    TRIODE_TRY(walk_readable(database, family, visitor));
  }
  return report;
}

}  // namespace triode
