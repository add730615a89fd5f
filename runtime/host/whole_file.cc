// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/whole_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/host/file_descriptor.h"

namespace triode {
namespace {

StatusCode code_for(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return StatusCode::kNotFound;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return StatusCode::kResourceExhausted;
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOLCK:
    case ENOTSUP:
      return StatusCode::kUnsupported;
    default:
      return StatusCode::kUnavailable;
  }
}

std::string_view advice_for(int error_number) {
  switch (error_number) {
    case EACCES:
    case EPERM:
    case EROFS:
      return "; give this user access to the folder and the file, or name another place";
    case ENOENT:
    case ENOTDIR:
      return "; look whether the folder is there and the name is right";
    case ENOSPC:
    case EDQUOT:
      return "; free some space, or name another place";
    default:
      return {};
  }
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<std::string> read_up_to(const FileDescriptor& file, const std::string& path,
                               size_t size_bytes) {
  std::string bytes(size_bytes, '\0');
  size_t filled = 0;
  while (filled < size_bytes) {
    const ssize_t got = ::read(file.number(), bytes.data() + filled, size_bytes - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", path, errno);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

Status write_all(const FileDescriptor& file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error("write", path, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (::fsync(file.number()) != 0) return file_error("write", path, errno);
  return {};
}

Status write_new_file(const std::string& path, std::string_view bytes) {
  // One that a killed process left behind is overwritten.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  constexpr mode_t kMode = 0666;  // less the user's umask
  const FileDescriptor file(::open(path.c_str(), kFlags, kMode));
  if (!file.is_open()) return file_error("create", path, errno);
  return write_all(file, path, bytes);
}

void sync_folder(const std::string& path) {
  const FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot; then the new name may be lost with the power, and the old file is
  // there again, whole.
  if (folder.is_open()) (void)::fsync(folder.number());
}

}  // namespace

Status file_error(std::string_view attempt, const std::string& path, int error_number) {
  std::string message = "cannot " + std::string(attempt) + ' ' + path + ": ";
  message += std::strerror(error_number);
  message += advice_for(error_number);
  return Status(code_for(error_number), std::move(message));
}

Result<std::string> read_whole_file(const std::string& path, size_t most_bytes) {
  // Without O_NONBLOCK, a pipe of that name would hold up the program.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) return file_error("open", path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return file_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    return unsupported("cannot read " + path + ": it is not a file; name another");
  }
  const auto size_bytes = static_cast<size_t>(status.st_size);
  if (size_bytes > most_bytes) {
    return unsupported("cannot read " + path + ": it has " + std::to_string(size_bytes) +
                       " bytes, and " + std::to_string(most_bytes) +
                       " is the most; name another file");
  }
  std::string bytes = TRIODE_TRY(read_up_to(file, path, size_bytes + 1));
  if (bytes.size() != size_bytes) {
    return unavailable("cannot read " + path + ": it changed meanwhile; try again");
  }
  return bytes;
}

Status replace_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".tmp";
  Status status = write_new_file(temporary, bytes);
  if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) {
    status = file_error("replace", path, errno);
  }
  if (!status.ok()) {
    (void)::unlink(temporary.c_str());  // the error that matters is the one above
    return status;
  }
  sync_folder(folder_of(path));
  return {};
}

}  // namespace triode
