// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "runtime/tuner/pacer.h"
#include "runtime/tuner/tuner.h"

namespace triode::tuner {

// How the thread of a tuner goes on.
struct TunerRun {
  Pacer& pacer;
  std::function<bool()> should_stop;                    // asked between trials, and between turns
  std::function<void(std::chrono::nanoseconds)> sleep;  // so long, or less if there is a reason to
  std::function<void(bool has_searched)> after_turn;
};

// What the thread of Tuner::step() does until it should stop: searches while a call waits; while
// none does, lets the ranker learn from the past; and sleeps where there is neither. All of it at
// the machine's pace.
void run_tuner(Tuner& tuner, const TunerRun& run);

}  // namespace triode::tuner
