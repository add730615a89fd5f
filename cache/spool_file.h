// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode {

// A file of the spool, held under its lock: the one that is appended to, or one that a writer of
// the cache has claimed by renaming it. The lock ends with the process, however it ends.
class SpoolFile {
 public:
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;
  SpoolFile(SpoolFile&& other) noexcept;
  SpoolFile& operator=(SpoolFile&&) = delete;
  ~SpoolFile();

  // The file to append to, made if there is none, together with the folder.
  static Result<SpoolFile> open_to_append(const std::string& folder);
  // A new one that is claimed from the beginning, beside it.
  static Result<SpoolFile> make_claimed(const std::string& folder);
  // A claimed one.
  static Result<SpoolFile> open_to_read(const std::string& path);

  // All of the bytes in one write or, on an error, none: what a full disk took is cut off again.
  Status append(std::string_view bytes);
  Result<std::string> read_all() const;
  int64_t size_bytes() const;
  // Takes the file back, as long as it is held.
  void remove();

 private:
  SpoolFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  static Result<SpoolFile> open_locked(const std::string& path, int flags);

  std::string path_;
  int descriptor_ = -1;  // owned
};

// The file that is appended to, in the cache's folder; claimed ones add "-" and an id.
inline constexpr const char* kSpoolName = "spool";
bool is_spool_file(std::string_view name);
// The id of a claimed one; empty for others.
std::string claim_id(std::string_view name);
// No two files ever have the same.
std::string new_claim_id();

}  // namespace triode
