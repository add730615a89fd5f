// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace triode::tuner {

// Where the tuner of a cache folder writes what it does, and where a log that was renamed lies.
std::string event_log_path(const std::string& cache_folder);
std::string older_log_path(const std::string& log);

// One line for each event: `2026-11-18T03:40:00Z plan problem="mm f32 64x64x64 nn" speedup=1.52`.
// Any thread. Never fails: what cannot be written is lost.
class EventLog {
 public:
  // Appends to the file; when it is longer than a few MiB, it is first renamed to
  // older_log_path(). An empty path writes nothing.
  explicit EventLog(std::string path) : path_(std::move(path)) {}

  using Field = std::pair<std::string_view, std::string>;
  void write(std::string_view event, std::initializer_list<Field> fields = {});

 private:
  const std::string path_;
  std::mutex mutex_;
};

// A number as events have it, whatever the locale of the program.
std::string figure(double value);

}  // namespace triode::tuner
