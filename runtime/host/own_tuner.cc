// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/own_tuner.h"

#include <dlfcn.h>

#include <array>
#include <thread>

#include "runtime/device/own_libraries.h"
#include "runtime/tuner/tuner_reach.h"

namespace triode::host {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kFileName = "libtriode_tuner.so";

// For the tuner that has the cache, to answer or to end.
constexpr milliseconds kBetweenTries(5);

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::vector<fs::path> OwnTuner::candidates() {
  return places_of_library(kFileName);
}

Result<OwnTuner::Functions> OwnTuner::open(const fs::path& path) {
  // RTLD_NODELETE: its threads may be in its code until the process ends.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return not_found(last_loader_error());
  decltype(&triode_tuner_library_version) version = nullptr;
  if (!find(library, "triode_tuner_library_version", version)) {
    return not_found(path.string() + ": not a Triode library: " + last_loader_error());
  }
  if (version() != TRIODE_TUNER_LIBRARY_VERSION) {
    return unsupported(path.string() + ": version " + std::to_string(version()) +
                       " of the interface, but " + std::to_string(TRIODE_TUNER_LIBRARY_VERSION) +
                       " is needed");
  }
  Functions found;
  if (find(library, "triode_own_tuner_start", found.start) &&
      find(library, "triode_own_tuner_has_ended", found.has_ended) &&
      find(library, "triode_own_tuner_stop", found.stop)) {
    return found;
  }
  return not_found(path.string() + ": not a Triode library: " + last_loader_error());
}

Result<std::unique_ptr<OwnTuner>> OwnTuner::load(std::span<const fs::path> candidates) {
  std::string failures;
  for (const fs::path& candidate : candidates) {
    const Result<Functions> functions = open(candidate);
    if (functions.ok()) {
      std::string program = TRIODE_TRY(tuner::find_tuner_program());
      return std::unique_ptr<OwnTuner>(new OwnTuner(*functions, std::move(program)));
    }
    failures += "\n  " + functions.status().message();
  }
  return unsupported("A tuner inside the program needs " + std::string(kFileName) +
                     ", which could not be loaded. Install it beside the Triode library, with "
                     "RocksDB and oneTBB (packages librocksdb7.8 and libtbb12); or leave out "
                     "in_process (TRIODE_TUNER). Tried:" +
                     failures);
}

Result<FileDescriptor> OwnTuner::reach(const tuner::MeetingPlace& place, milliseconds patience,
                                       const std::function<bool()>& should_stop) {
  const auto end = steady_clock::now() + patience;
  for (;;) {
    Result<FileDescriptor> reached = tuner::connect_to_tuner(place);
    if (reached.ok() || steady_clock::now() >= end || should_stop()) return reached;
    if (is_in_child_) {
      return unavailable("a forked child has no tuner of its own, and its parent's is gone");
    }
    TRIODE_TRY(start(place));
    std::this_thread::sleep_for(kBetweenTries);
  }
}

// Nothing, where another tuner has the cache.
Status OwnTuner::start(const tuner::MeetingPlace& place) {
  if (tuner_ != nullptr && functions_.has_ended(tuner_) == 0) return {};
  stop();
  std::array<char, 1024> why{};
  tuner_ = functions_.start(place.cache.c_str(), program_.c_str(), why.data(), why.size());
  return tuner_ == nullptr && why[0] != '\0' ? unavailable(why.data()) : Status();
}

void OwnTuner::stop() {
  if (triode_own_tuner* const tuner = tuner_.exchange(nullptr)) functions_.stop(tuner);
}

}  // namespace triode::host
