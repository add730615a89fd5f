// SPDX-License-Identifier: Apache-2.0
#include "cache/database_folder.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "cache/spool_file.h"

namespace triode {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnerFile = "OWNER";

// When the process began, in the system's ticks since it did: another one of its number has
// another. Empty if there is no such process.
std::string beginning_of(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  // The name, in brackets, may hold anything; behind it the twentieth word is meant.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream words(text.substr(name_end + 1));
  std::string word;
  for (int i = 0; i < 20; ++i) words >> word;
  return word;
}

// Files that a process leaves, or has so far, when it is ended while it makes a database; and the
// spool, which may be there first.
bool is_of_creation(const std::string& name) {
  return name == "LOCK" || name == "IDENTITY" || name == kOwnerFile || name.starts_with("LOG") ||
         name.starts_with("MANIFEST-") || name.ends_with(".dbtmp") || is_spool_file(name);
}

}  // namespace

Status make_cache_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    return unavailable("cannot make the folder " + path + " for the cache: " + error.message() +
                       "; give one that you may write");
  }
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_of_creation(entry->path().filename().string())) continue;
    return invalid_argument(path + " is not a cache of Triode, and not empty either; give a " +
                            "folder of its own");
  }
  if (!error) return {};
  return unavailable("cannot look into " + path + ": " + error.message());
}

bool has_database(const std::string& path) {
  std::error_code ignored;  // a folder that cannot be looked into is reported by what comes next
  return fs::exists(fs::path(path) / "CURRENT", ignored);
}

void write_owner(const std::string& path) {
  // Where it cannot be written, the message to a second writer does without it.
  std::ofstream(fs::path(path) / kOwnerFile) << getpid() << ' ' << beginning_of(getpid()) << '\n';
}

void remove_owner(const std::string& path) {
  std::error_code ignored;  // a stale OWNER names a process that is not there, or began later
  fs::remove(fs::path(path) / kOwnerFile, ignored);
}

std::optional<int64_t> living_owner(const std::string& path) {
  int64_t pid = 0;
  std::ifstream file(fs::path(path) / kOwnerFile);
  if (!(file >> pid) || pid <= 0) return std::nullopt;
  const bool lives = kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
  std::string began;  // not there: written by an older Triode
  const bool is_another = file >> began && began != beginning_of(pid);
  return lives && !is_another ? std::optional(pid) : std::nullopt;
}

Status explain_lock(const std::string& path) {
  std::string owner;
  std::ifstream(fs::path(path) / kOwnerFile) >> owner;
  const std::string who = owner.empty() ? "another process" : "process " + owner;
  return unavailable("the cache " + path + " is being written by " + who + ", which holds " + path +
                     "/LOCK; wait for it to end, or give another folder. Do not delete the LOCK");
}

int64_t folder_bytes(const std::string& path) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;  // a file that has gone meanwhile
    const auto size = entry->is_regular_file(ignored) ? entry->file_size(ignored) : 0;
    if (!ignored) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

}  // namespace triode
