// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner_run.h"

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;

// How often the queue is looked at while nobody waits.
constexpr milliseconds kIdle(20);
// At a time, for fine-tuning while nobody waits: who comes meanwhile waits that long.
constexpr milliseconds kReflection(60);

}  // namespace

void run_tuner(Tuner& tuner, const TunerRun& run) {
  const std::function<bool()> should_stop = [&run] {
    run.pacer.breathe();
    return run.should_stop();
  };
  while (!run.should_stop()) {
    run.pacer.begin();
    const bool has_searched = tuner.step(should_stop);
    if (!has_searched && tuner.reflect(kReflection)) {
      run.pacer.breathe();
    } else if (!has_searched) {
      run.sleep(kIdle);
    }
    run.after_turn(has_searched);
  }
}

}  // namespace triode::tuner
