// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/callgrind_costs.h"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <istream>
#include <string_view>
#include <vector>

#include "tools/bench/child_process.h"
#include "tools/bench/hit_calls_command.h"

namespace triode::bench {
namespace {

// Reads the file line by line. Names are written out once, as "(3) /usr/lib/libm.so", and later
// "(3)".
class CostReader {
 public:
  void take(const std::string& line) {
    if (line.starts_with("ob=")) {
      object_ = name_of(line.substr(3));
    } else if (line.starts_with("cob=")) {
      name_of(line.substr(4));  // may be where a name is written out
    } else if (line.starts_with("calls=")) {
      next_is_inclusive_ = true;
    } else if (is_cost(line)) {
      if (!next_is_inclusive_) costs_[object_] += cost_of(line);
      next_is_inclusive_ = false;
    }
  }

  const ObjectCosts& costs() const { return costs_; }

 private:
  // Costs begin with a position: a number, perhaps relative.
  static bool is_cost(const std::string& line) {
    return !line.empty() && (std::isdigit(static_cast<unsigned char>(line[0])) != 0 ||
                             line[0] == '+' || line[0] == '-' || line[0] == '*');
  }
  // The number after the position.
  static std::int64_t cost_of(const std::string& line) {
    return std::strtoll(line.c_str() + line.find(' '), nullptr, 10);
  }

  std::string name_of(const std::string& text) {
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == std::string::npos) return text;
    std::string& name = names_[text.substr(0, end)];
    if (end + 2 < text.size()) name = text.substr(end + 2);
    return name;
  }

  std::map<std::string, std::string> names_;  // by number, as "(3"
  std::string object_ = kNoFile;
  bool next_is_inclusive_ = false;
  ObjectCosts costs_;
};

Result<ObjectCosts> count_once(const HitCalls& what, const std::string& folder) {
  return count_by_callgrind(hit_calls_command(what), hit_calls_environment(folder), folder);
}

}  // namespace

Result<ObjectCosts> read_object_costs(std::istream& callgrind_out) {
  CostReader reader;
  bool counts_instructions = false;
  std::string line;
  while (std::getline(callgrind_out, line)) {
    if (line == "events: Ir") counts_instructions = true;
    reader.take(line);
  }
  if (!counts_instructions || reader.costs().empty()) {
    return corrupt("callgrind wrote no counts of instructions; is this valgrind too old or new?");
  }
  return reader.costs();
}

Result<ObjectCosts> count_by_callgrind(const std::vector<std::string>& command,
                                       const std::vector<std::string>& environment,
                                       const std::string& folder) {
  const std::string file = folder + "/callgrind.out";
  std::vector<std::string> words = {"valgrind", "--tool=callgrind", "--callgrind-out-file=" + file};
  words.insert(words.end(), command.begin(), command.end());
  TRIODE_TRY(output_of(words, environment));
  std::ifstream written(file);
  return read_object_costs(written);
}

std::int64_t total_of(const ObjectCosts& costs) {
  std::int64_t total = 0;
  for (const auto& [object, cost] : costs) total += cost;
  return total;
}

double added_per_call(const CallgrindCosts& costs) {
  std::int64_t added = 0;
  for (const auto& [object, cost] : costs.twice) {
    if (object == kNoFile || object == costs.program) continue;
    const auto once = costs.once.find(object);
    added += cost - (once == costs.once.end() ? 0 : once->second);
  }
  return static_cast<double>(added) / costs.calls;
}

Result<CallgrindCosts> count_hits_by_callgrind(const std::string& library, int calls,
                                               const std::string& folder) {
  CallgrindCosts costs;
  costs.calls = calls;
  HitCalls what{.library = library, .calls = calls};
  costs.program = hit_calls_command(what)[0];
  costs.once = TRIODE_TRY(count_once(what, folder));
  what.calls = 2 * calls;
  costs.twice = TRIODE_TRY(count_once(what, folder));
  return costs;
}

}  // namespace triode::bench
