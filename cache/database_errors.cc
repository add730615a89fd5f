// SPDX-License-Identifier: Apache-2.0
#include "cache/database_errors.h"

namespace triode {
namespace {

StatusCode code_of(const rocksdb::Status& status) {
  if (status.IsCorruption()) return StatusCode::kCorrupt;
  if (status.IsNoSpace()) return StatusCode::kResourceExhausted;
  // RocksDB loses the code of a full disk on some ways up, but not the system's words.
  if (status.ToString().find("No space left on device") != std::string::npos) {
    return StatusCode::kResourceExhausted;
  }
  if (status.IsIOError() || status.IsBusy() || status.IsTimedOut()) return StatusCode::kUnavailable;
  if (status.IsNotSupported()) return StatusCode::kUnsupported;
  if (status.IsInvalidArgument()) return StatusCode::kInvalidArgument;
  return StatusCode::kInternal;
}

std::string_view advice_for(StatusCode code) {
  switch (code) {
    case StatusCode::kCorrupt:
      return "; run `triode cache verify --repair`, which keeps a copy of what it changes, or give "
             "another folder";
    case StatusCode::kResourceExhausted:
      return "; make room on that disk, or give a folder on another";
    case StatusCode::kUnavailable:
      return "; check that the folder may be written and its disk is sound";
    default:
      return "";
  }
}

}  // namespace

Status explain_database(std::string_view attempt, const std::string& path,
                        const rocksdb::Status& status) {
  const StatusCode code = code_of(status);
  return {code, "cannot " + std::string(attempt) + " the cache " + path + ": " + status.ToString() +
                    std::string(advice_for(code))};
}

bool is_lock_taken(const rocksdb::Status& status) {
  // RocksDB has no code for it, only these texts: of another process, of this one.
  const std::string text = status.ToString();
  return text.find("While lock file") != std::string::npos ||
         text.find("lock hold by current process") != std::string::npos;
}

}  // namespace triode
