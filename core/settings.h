// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode {

// What Triode does with the matmuls of a program.
enum class Mode : uint8_t {
  kOff,      // nothing: every call goes to the library the program linked
  kObserve,  // counts and times them
  kTune,     // also searches for faster kernels in the background, and runs those that won
  kFrozen,   // runs the plans of a file and no others, the same choice on every run; no thread but
             // those of threaded plans
};

// Which kernels answer calls that nothing was measured for. For tests of the kernels in real
// programs: a forced plan is right, but nobody has seen that it is fast.
enum class ForcedPlans : uint8_t {
  kOff,
  kFirst,   // the config that is tried first
  kRandom,  // any legal config, drawn by the call: the same call always gets the same
};

// When a write to the cache counts as done. All survive the end of the process that wrote, however
// sudden; they differ in what a power cut may take.
enum class SyncLevel : uint8_t {
  kNone,   // handed to the system: the last seconds
  kBatch,  // batches, plans and models are on the disk, and all before them; single trials since,
           // not
  kEvery,  // each is on the disk: milliseconds, which threads that write at once share
};

// Where the tuner is, which searches for faster kernels in mode tune.
enum class TunerPlace : uint8_t {
  kLocalSearch,  // nobody's: a plain search on a thread of the program, for tests of the host alone
  kInProcess,    // on threads of the program, for those that want no second process
  kProcess,      // a process of its own, which all programs of the user share
};

// What a user can set about a program that runs with Triode inside. Each field has one row in
// setting_rows(), and so one environment variable and one option of `triode run`.
struct Settings {
  Mode mode = Mode::kTune;
  std::string cache;    // folder where plans are kept between runs; empty: the user's cache folder
  std::string plans;    // file of plans for kFrozen
  bool report = false;  // what happened, when the program ends
  bool report_json = false;  // the same as JSON; implies report
  std::string report_file;   // where to, implies report; empty: stderr
  int32_t threads = 0;       // most threads of a plan, below the library's own; 0: no limit
  ForcedPlans force_plans = ForcedPlans::kOff;
  SyncLevel cache_sync = SyncLevel::kBatch;
  TunerPlace tuner = TunerPlace::kProcess;
  bool trust_model = false;  // the model's choice answers until a call was timed, not the library

  bool operator==(const Settings&) const = default;
};

struct SettingRow {
  std::string_view variable;  // TRIODE_MODE
  std::string_view option;    // --mode
  std::string_view value;     // what it takes, for help: "off|observe|tune|frozen"
  bool is_flag = false;       // the option takes no value and means "1"
  bool is_path = false;       // a relative one means another file once the program changes folder
  // Sets the field and no other. kInvalidArgument, with the valid values, for a text that is none
  // of them; the empty text never is one.
  Status (*assign)(Settings& settings, std::string_view text) = nullptr;
};

// Every setting, each once, in the order of help texts.
std::span<const SettingRow> setting_rows();

// Looks up a variable; empty if it is not set.
using VariableLookup = std::function<std::optional<std::string>(const std::string& name)>;

// The lookup in this process.
std::optional<std::string> environment_variable(const std::string& name);

// Reads every variable that is set. The first wrong one is the error: it names the variable, the
// value and the valid ones. A variable set to the empty text counts as not set. Asking for JSON or
// for a file is asking for the report, whatever TRIODE_REPORT says.
Result<Settings> read_settings(const VariableLookup& lookup);
Result<Settings> read_settings_from_environment();

// Contradictions between settings that are each valid: frozen without a file of plans or with
// forced ones, or trust in a model where there is no tuner that has one.
Status check_settings(const Settings& settings);

std::string_view to_string(Mode mode);
std::string_view to_string(SyncLevel level);
Result<Mode> parse_mode(std::string_view text);

}  // namespace triode
