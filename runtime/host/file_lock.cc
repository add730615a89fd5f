// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <thread>

#include "runtime/host/whole_file.h"

namespace triode {
namespace {

// Between two tries: short against a disk's sync, which holders wait for.
constexpr std::chrono::milliseconds kPause(10);

}  // namespace

Result<FileLock> FileLock::acquire(const std::string& path, std::chrono::milliseconds patience) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) return file_error("lock", path, errno);
  for (std::chrono::milliseconds waited(0);; waited += kPause) {
    if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(file));
    if (errno != EWOULDBLOCK && errno != EINTR) return file_error("lock", path, errno);
    if (waited >= patience) break;
    std::this_thread::sleep_for(kPause);
  }
  return unavailable("cannot lock " + path + ": another process has held it for " +
                     std::to_string(patience.count()) + " ms; try again");
}

FileLock::~FileLock() {
  // Closing would do, were there no child forked meanwhile that holds the same open file.
  if (file_.is_open()) (void)::flock(file_.number(), LOCK_UN);
}

}  // namespace triode
