// SPDX-License-Identifier: Apache-2.0
#include "cache/spool_intake.h"

#include <rocksdb/write_batch.h>

#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/quarantine.h"
#include "cache/spool_file.h"
#include "cache/spool_frame.h"
#include "cache/trial_batch.h"

namespace triode {
namespace {

namespace fs = std::filesystem;

// Written at once; what a crash makes us read again is at most this.
constexpr size_t kBatchBytes = size_t{4} << 20;
constexpr std::string_view kMarkStart = "spool\n";

std::string mark_of(const std::string& id) {
  return std::string(kMarkStart) + id;
}

Status claim(const std::string& folder) {
  const fs::path spool = fs::path(folder) / kSpoolName;
  std::error_code error;
  if (!fs::exists(spool, error)) return {};
  fs::rename(spool, spool.string() + '-' + new_claim_id(), error);
  if (!error) return {};
  return unavailable("cannot claim the spool " + spool.string() + ": " + error.message());
}

// The names of all, claimed or not.
std::vector<std::string> spool_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (is_spool_file(name)) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> claimed_files(const std::string& folder) {
  std::vector<std::string> names = spool_files(folder);
  std::erase_if(names, [](const std::string& name) { return claim_id(name).empty(); });
  return names;
}

// One claimed file, from where it was left to its end.
class Intake {
 public:
  Intake(Database& database, std::string id, std::string_view bytes, SpoolIntake& totals)
      : database_(database), id_(std::move(id)), bytes_(bytes), totals_(totals) {}

  Status run() {
    TRIODE_TRY(find_mark());
    while (offset_ < bytes_.size()) {
      TRIODE_TRY(take_part(next_frame(bytes_.substr(offset_))));
      if (batch_.GetDataSize() >= kBatchBytes) TRIODE_TRY(commit());
    }
    return batch_.Count() == 0 ? Status() : commit();
  }

 private:
  Status find_mark() {
    const std::string text =
        TRIODE_TRY(database_.get(Family::kMeta, mark_of(id_))).value_or(std::string("0"));
    (void)std::from_chars(text.data(), text.data() + text.size(), offset_);
    return {};
  }

  Status take_part(const FramePart& part) {
    if (!part.damage.empty()) {
      const std::string place = "spool-" + id_ + " at byte " + std::to_string(offset_);
      TRIODE_TRY(quarantine(database_, {"spool", place, part.damage},
                            bytes_.substr(offset_, part.size_bytes), batch_, std::time(nullptr)));
      totals_.damaged_bytes += static_cast<int64_t>(part.size_bytes);
    }
    const uint64_t first = TRIODE_TRY(database_.take_sequence(part.trials.size()));
    TrialBatch added(part.trials.size());
    for (size_t i = 0; i < part.trials.size(); ++i) {
      const KeyedTrial& trial = part.trials[i];
      TRIODE_TRY(added.add(trial.key, trial.record, first + i));
    }
    TRIODE_TRY(added.move_to(database_, batch_));
    totals_.records += static_cast<int64_t>(part.trials.size());
    offset_ += part.size_bytes;
    return {};
  }

  Status commit() {
    const rocksdb::Status status =
        batch_.Put(database_.family(Family::kMeta), mark_of(id_), std::to_string(offset_));
    if (!status.ok()) return database_.explain("write to", status);
    TRIODE_TRY(database_.write(batch_));
    batch_.Clear();
    return {};
  }

  Database& database_;
  const std::string id_;
  const std::string_view bytes_;
  SpoolIntake& totals_;
  rocksdb::WriteBatch batch_;
  size_t offset_ = 0;
};

Status take_in_file(Database& database, const std::string& name, SpoolIntake& totals) {
  const std::string path = database.path() + '/' + name;
  const Result<SpoolFile> opened = SpoolFile::open_to_read(path);
  if (!opened.ok()) {
    ++totals.files_left;
    return {};
  }
  const SpoolFile& file = *opened;
  const std::string bytes = TRIODE_TRY(file.read_all());
  TRIODE_TRY(Intake(database, claim_id(name), bytes, totals).run());
  // The records must be on the disk before their only other copy goes.
  TRIODE_TRY(database.sync());
  std::error_code error;
  fs::remove(path, error);
  if (error) return unavailable("cannot remove the spool " + path + ": " + error.message());
  ++totals.files;
  return {};
}

// Marks whose files are gone have done their duty.
Status drop_marks(Database& database) {
  std::set<std::string> needed;
  for (const std::string& name : claimed_files(database.path())) {
    needed.insert(mark_of(claim_id(name)));
  }
  rocksdb::WriteBatch batch;
  const std::unique_ptr<rocksdb::Iterator> at = database.iterate(Family::kMeta);
  for (at->Seek(kMarkStart); at->Valid() && at->key().starts_with(kMarkStart); at->Next()) {
    if (needed.contains(at->key().ToString())) continue;
    const rocksdb::Status status = batch.Delete(database.family(Family::kMeta), at->key());
    if (!status.ok()) return database.explain("write to", status);
  }
  if (!at->status().ok()) return database.explain("read", at->status());
  return batch.Count() == 0 ? Status() : database.write(batch, Weight::kSingle);
}

}  // namespace

Result<SpoolIntake> take_in_spool(Database& database) {
  SpoolIntake totals;
  TRIODE_TRY(claim(database.path()));
  for (const std::string& name : claimed_files(database.path())) {
    TRIODE_TRY(take_in_file(database, name, totals));
  }
  TRIODE_TRY(drop_marks(database));
  return totals;
}

int64_t spooled_bytes(const std::string& folder) {
  int64_t bytes = 0;
  for (const std::string& name : spool_files(folder)) {
    std::error_code ignored;  // taken in meanwhile
    const auto size = fs::file_size(fs::path(folder) / name, ignored);
    if (!ignored) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

int64_t spooled_trials(const std::string& folder) {
  int64_t trials = 0;
  for (const std::string& name : spool_files(folder)) {
    std::ifstream file(fs::path(folder) / name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    for (size_t at = 0; at < bytes.size();) {
      const FramePart part = next_frame(std::string_view(bytes).substr(at));
      trials += static_cast<int64_t>(part.trials.size());
      at += part.size_bytes;
    }
  }
  return trials;
}

}  // namespace triode
