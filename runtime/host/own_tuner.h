// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/status.h"
#include "runtime/host/file_descriptor.h"
#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/tuner_library.h"

namespace triode::host {

// The tuner on threads of this process, for a program that wants no second one: what
// libtriode_tuner.so holds, loaded by name, so that others carry none of it. It is found at its
// meeting place like any tuner, by this program's client too. Used by one thread, but for forget().
class OwnTuner {
 public:
  // Loads the first of these that opens and speaks our version of the interface. kUnsupported, with
  // every place and what was wrong there, if none does; kNotFound without triode-tuner, which runs
  // the trials. Starts nothing.
  static Result<std::unique_ptr<OwnTuner>> load(std::span<const std::filesystem::path> candidates);

  // Where libtriode_tuner.so may be: see places_of_library().
  static std::vector<std::filesystem::path> candidates();

  OwnTuner(const OwnTuner&) = delete;
  OwnTuner& operator=(const OwnTuner&) = delete;
  ~OwnTuner() { stop(); }

  // A connection to the tuner of this place: another process's, where one answers; else this
  // one's, which is started if need be. kUnavailable if neither can be had now.
  Result<FileDescriptor> reach(const tuner::MeetingPlace& place, std::chrono::milliseconds patience,
                               const std::function<bool()>& should_stop);

  // Ends the tuner, if it was started, and waits for its threads: about as long as it takes to give
  // up a trial.
  void stop();

  // In a forked child, which has none of the threads. It has no tuner of its own from then on, but
  // may use its parent's.
  void forget() noexcept {
    tuner_ = nullptr;
    is_in_child_ = true;
  }

 private:
  struct Functions {
    decltype(&triode_own_tuner_start) start = nullptr;
    decltype(&triode_own_tuner_has_ended) has_ended = nullptr;
    decltype(&triode_own_tuner_stop) stop = nullptr;
  };
  OwnTuner(const Functions& functions, std::string program)
      : functions_(functions), program_(std::move(program)) {}
  static Result<Functions> open(const std::filesystem::path& path);
  Status start(const tuner::MeetingPlace& place);

  const Functions functions_;
  const std::string program_;  // triode-tuner
  std::atomic<triode_own_tuner*> tuner_{nullptr};
  bool is_in_child_ = false;
};

}  // namespace triode::host
