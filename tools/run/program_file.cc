// SPDX-License-Identifier: Apache-2.0
#include "tools/run/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace triode::run {
namespace {

namespace fs = std::filesystem;

// What execvp() searches without PATH.
constexpr std::string_view kDefaultSearchPath = "/bin:/usr/bin";

bool is_executable_file(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at cannot be run either
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

Status not_executable(const std::string& path) {
  std::error_code ignored;  // it exists, so only its kind is in question
  return unsupported(
      "cannot run " + path + ": " +
      (fs::is_directory(path, ignored) ? "it is a folder" : "it is not executable (chmod +x)"));
}

Result<std::string> check_path(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at is not there for us
  if (!fs::exists(path, ignored)) return not_found("there is no program " + path);
  if (!is_executable_file(path)) return not_executable(path);
  return path;
}

// A file that is open for reading while this lives, and that an exec() closes.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  // The bytes at `offset` as a T; empty if the file ends before, or could not be opened.
  template <typename T>
  std::optional<T> read_at(uint64_t offset) const {
    T value;
    const ssize_t size = pread(descriptor_, &value, sizeof value, static_cast<off_t>(offset));
    if (size != static_cast<ssize_t>(sizeof value)) return std::nullopt;
    return value;
  }

 private:
  int descriptor_;
};

// Whether the kernel starts the program by a dynamic linker; empty for a damaged file.
std::optional<bool> names_interpreter(const OpenFile& file, const Elf64_Ehdr& header) {
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = file.read_at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return std::nullopt;
    if (segment->p_type == PT_INTERP) return true;
  }
  return false;
}

bool gains_rights(const std::string& path, Identity identity) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return false;
  const bool as_other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != identity.user;
  // Without the group's execute bit, S_ISGID is an old mark of locking.
  const bool is_setgid = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0;
  return as_other_user || (is_setgid && status.st_gid != identity.group);
}

}  // namespace

Result<std::string> find_program_file(const std::string& name,
                                      const std::optional<std::string>& search_path) {
  if (name.find('/') != std::string::npos) return check_path(name);
  std::optional<std::string> blocked;
  std::string_view rest = search_path ? std::string_view(*search_path) : kDefaultSearchPath;
  for (bool more = !name.empty(); more;) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    // An empty entry is the current folder.
    const std::string path = (end == 0 ? "." : std::string(rest.substr(0, end))) + "/" + name;
    if (is_executable_file(path)) return path;
    std::error_code ignored;  // what cannot be looked at is not there for us
    if (!blocked && fs::is_regular_file(path, ignored)) blocked = path;
    more = end < rest.size();
    if (more) rest.remove_prefix(end + 1);
  }
  if (blocked) return not_executable(*blocked);
  return not_found("there is no program '" + name + "' in the folders of PATH");
}

std::optional<std::string_view> obstacle_to_preload(const std::string& file, Identity identity) {
  const OpenFile opened(file);
  const auto magic = opened.read_at<std::array<char, SELFMAG>>(0);
  // The kernel gives a script no rights of its file.
  if (magic && std::memcmp(magic->data(), ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (gains_rights(file, identity)) return "runs with other rights (setuid or setgid)";
  const auto header = opened.read_at<Elf64_Ehdr>(0);
  if (!header) return std::nullopt;
  if (header->e_ident[EI_CLASS] == ELFCLASS32) return "is a 32-bit program";
  if (names_interpreter(opened, *header) == false) return "is statically linked";
  return std::nullopt;
}

}  // namespace triode::run
