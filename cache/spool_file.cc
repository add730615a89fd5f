// SPDX-License-Identifier: Apache-2.0
#include "cache/spool_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

namespace triode {
namespace {

// An append holds the lock for microseconds. Whoever still holds it after this is stopped, or its
// disk is; the trials are not worth more waiting.
constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kPause = std::chrono::milliseconds(1);

Status explain_errno(const std::string& attempt, const std::string& path) {
  const int error = errno;
  const std::string text = "cannot " + attempt + " the spool " + path + ": " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT) {
    return resource_exhausted(text + "; make room on that disk, or set TRIODE_CACHE to another");
  }
  return unavailable(text + "; set TRIODE_CACHE to a folder that you may write");
}

Status lock(int descriptor, const std::string& path) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return explain_errno("lock", path);
    if (std::chrono::steady_clock::now() > deadline) {
      return unavailable("another process holds the spool " + path + " and does not let go");
    }
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

Status make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return unavailable("cannot make the folder " + folder + " for the spool: " + error.message() +
                     "; set TRIODE_CACHE to a folder that you may write");
}

// Whether the path still leads to this file: it may have been claimed before the lock was ours.
bool is_still_at(const std::string& path, int descriptor) {
  struct stat opened {};
  struct stat found {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &found) == 0 &&
         opened.st_ino == found.st_ino && opened.st_dev == found.st_dev;
}

}  // namespace

SpoolFile::SpoolFile(SpoolFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

SpoolFile::~SpoolFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<SpoolFile> SpoolFile::open_locked(const std::string& path, int flags) {
  while (true) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
    if (descriptor < 0) return explain_errno("open", path);
    SpoolFile file(path, descriptor);
    TRIODE_TRY(lock(descriptor, path));
    if (is_still_at(path, descriptor)) return file;
  }
}

Result<SpoolFile> SpoolFile::open_to_append(const std::string& folder) {
  TRIODE_TRY(make_folder(folder));
  return open_locked(folder + '/' + kSpoolName, O_RDWR | O_APPEND | O_CREAT);
}

Result<SpoolFile> SpoolFile::make_claimed(const std::string& folder) {
  TRIODE_TRY(make_folder(folder));
  return open_locked(folder + '/' + kSpoolName + '-' + new_claim_id(),
                     O_RDWR | O_APPEND | O_CREAT | O_EXCL);
}

Result<SpoolFile> SpoolFile::open_to_read(const std::string& path) {
  return open_locked(path, O_RDONLY);
}

int64_t SpoolFile::size_bytes() const {
  struct stat found {};
  return fstat(descriptor_, &found) == 0 ? found.st_size : 0;
}

Status SpoolFile::append(std::string_view bytes) {
  const int64_t before = size_bytes();
  ssize_t written = -1;
  do {
    written = write(descriptor_, bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(bytes.size())) return {};
  if (written >= 0) errno = ENOSPC;  // a short write to a file is a full disk, or a limit
  Status status = explain_errno("append to", path_);
  // Where this fails too, the reader finds a frame without an end and passes over it.
  (void)!ftruncate(descriptor_, before);
  return status;
}

Result<std::string> SpoolFile::read_all() const {
  std::string bytes(static_cast<size_t>(size_bytes()), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return explain_errno("read", path_);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

void SpoolFile::remove() {
  std::error_code ignored;  // what cannot be removed is taken in
  std::filesystem::remove(path_, ignored);
}

bool is_spool_file(std::string_view name) {
  return name == kSpoolName || !claim_id(name).empty();
}

std::string claim_id(std::string_view name) {
  const std::string start = std::string(kSpoolName) + '-';
  return name.starts_with(start) ? std::string(name.substr(start.size())) : "";
}

std::string new_claim_id() {
  std::random_device random;
  const uint64_t high = random();
  return std::to_string(high << 32 | random()) + '-' + std::to_string(getpid());
}

}  // namespace triode
