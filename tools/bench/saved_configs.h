// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/problem.h"
#include "core/status.h"
#include "core/target.h"

namespace triode::bench {

// The configs found for problems, kept in a JSON file, so that a later run need only time them.
// Belongs to one processor and set of widths: `device` and `isa` of the target.
class SavedConfigs {
 public:
  // Reads the file if it exists; starts empty if not. kCorrupt if it is no such file;
  // kInvalidArgument if it was made on another processor or for other widths.
  static Result<SavedConfigs> open(std::string path, const Target& target);

  // The config's text.
  std::optional<std::string> find(const Problem& problem) const;

  // Remembers the config and writes the file whole, beside it first, so that an interrupted run
  // leaves the old file or the new one.
  Status save(const Problem& problem, std::string config);

 private:
  SavedConfigs(std::string path, const Target& target)
      : path_(std::move(path)), device_(target.device), isa_(target.isa) {}
  Status read();
  Status write() const;

  std::string path_;
  std::string device_;
  std::string isa_;
  std::map<std::string, std::string> configs_;  // by problem text
};

}  // namespace triode::bench
