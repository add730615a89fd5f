// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/event_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <ctime>

#include "runtime/host/file_descriptor.h"

namespace triode::tuner {
namespace {

constexpr off_t kMostBytes = 4 << 20;

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

bool is_plain(char c) {
  return c > ' ' && c != '"' && c != '\\' && c != '=' && c != '\x7f';
}

// As it is if it is one plain word; else in quotes, with what would end a line or a quote escaped.
std::string quoted(const std::string& text) {
  bool plain = !text.empty();
  for (const char c : text) plain = plain && is_plain(c);
  if (plain) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

}  // namespace

std::string event_log_path(const std::string& cache_folder) {
  return cache_folder + "/tuner.log";
}

std::string older_log_path(const std::string& log) {
  return log + ".old";
}

void EventLog::write(std::string_view event, std::initializer_list<Field> fields) {
  if (path_.empty()) return;
  std::string line = time_now() + ' ' + std::string(event);
  for (const auto& [name, value] : fields) line += ' ' + std::string(name) + '=' + quoted(value);
  line += '\n';
  const std::lock_guard lock(mutex_);
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && status.st_size > kMostBytes) {
    (void)std::rename(path_.c_str(), older_log_path(path_).c_str());
  }
  const FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return;
  const ssize_t written = ::write(file.number(), line.data(), line.size());
  if (written <= 0 || written == static_cast<ssize_t>(line.size())) return;
  // A full disk takes the beginning of a line, which the next one would go on with.
  [[maybe_unused]] const int cut =
      ::ftruncate(file.number(), ::lseek(file.number(), 0, SEEK_CUR) - written);
}

std::string figure(double value) {
  constexpr int kDigits = 4;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, kDigits);
  return {text.data(), end.ptr};
}

}  // namespace triode::tuner
