// SPDX-License-Identifier: Apache-2.0
// Whole searches in which most candidates are bad: the tuner outlives them, every one is on record,
// and none becomes a plan. In real workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "runtime/device/cpu_device.h"
#include "runtime/host/loaded_object.h"
#include "runtime/tuner/heuristic_ranker.h"
#include "runtime/tuner/tuner.h"
#include "runtime/tuner/worker_runner.h"
#include "tests/jit/test_length.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/sample_calls.h"

extern "C" long stand_in_calls();

namespace triode::tuner {
namespace {

using ::testing::IsEmpty;

// What is wrong with a config hangs on its unrolling, as it would for a bug in an emitter; only
// kernels that are not unrolled are right.
struct BadPart {
  const char* text;
  const char* fault;
};
constexpr BadPart kBadParts[] = {
    {"ku=2", "wrong"}, {"ku=4", "nan"}, {"ku=8", "segv"}, {"ku=16", "gap"}, {"ku=32", "beyond"}};

bool is_bad(const std::string& config) {
  for (const BadPart& part : kBadParts) {
    if (config.find(part.text) != std::string::npos) return true;
  }
  return false;
}

// Remembers what was recorded against what was told.
class JudgingLog final : public TrialLog {
 public:
  std::vector<Trial> known(const Target&, const Problem&, const Space&) override { return {}; }
  Status record(const Target&, const Problem&, const Space& space,
                std::vector<ConfigTrial> trials) override {
    for (const ConfigTrial& trial : trials) {
      const std::string config = space.to_string(trial.config);
      const Outcome& outcome = trial.record.outcome;
      bad += is_bad(config) ? 1 : 0;
      if (is_bad(config) == outcome.ok()) mistakes.push_back(config + ": " + outcome.reason);
    }
    return {};
  }
  int bad = 0;
  std::vector<std::string> mistakes;  // bad ones that passed, and right ones that did not
};

class BadCandidates : public ::testing::Test {
 protected:
  BadCandidates() {
    std::string lines;
    for (const BadPart& part : kBadParts) lines += std::string(part.fault) + ' ' + part.text + '\n';
    folder_.write("faults", lines);
    setenv("TRIODE_TEST_FAULTS", (folder_.path() / "faults").c_str(), 1);
    tuner_.join(1, Hello{"1", 1, "program", device_->target()});
  }

  void report(int64_t size) {
    const auto blas = host::object_at(reinterpret_cast<const void*>(&stand_in_calls));
    VendorCall call = sample_call(size);
    // Rows with gaps between them.
    call.key.lda = call.key.ldb = call.key.ldc = size + 3;
    call.library = std::filesystem::canonical(blas->path).string();
    call.identity = blas->identity();
    tuner_.report(1, Reports{{ProblemReport{size, call, {10, 1e7, 0, 0}}}});
  }

  TemporaryFolder folder_;
  std::unique_ptr<CpuDevice> device_ = std::move(CpuDevice::create({})).take();
  WorkerRunner runner_{{.program = TRIODE_FAULTY_WORKER,
                        .arguments = {"faulty_worker"},
                        .trial_limit = std::chrono::milliseconds(20000)}};
  HeuristicRanker ranker_;
  JudgingLog log_;
  PlanBook book_{(folder_.path() / "host.plans").string()};
  EventLog events_{""};
  std::vector<Verdict> verdicts_;
  Tuner tuner_{
      {.ranker = ranker_,
       .runner = runner_,
       .log = log_,
       .book = book_,
       .events = events_,
       .clock = steady_clock(),
       .space_of = [this](const Target&,
                          const Problem& problem) { return device_->enumerate(problem); },
       .deliver = [this](ClientId, const Verdict& verdict) { verdicts_.push_back(verdict); }},
      {}};
};

// A thousand with TRIODE_TEST_LONG=1.
TEST_F(BadCandidates, AreAllCaughtAndNoneBecomesAPlan) {
  for (int64_t size = 8; log_.bad < scaled_count(50); ++size) {
    report(size);
    while (tuner_.step([] { return false; })) {
    }
  }
  EXPECT_THAT(log_.mistakes, IsEmpty());
  for (const Verdict& verdict : verdicts_) {
    for (const SentPlan& plan : verdict.plan) EXPECT_FALSE(is_bad(plan.config)) << plan.config;
  }
}

}  // namespace
}  // namespace triode::tuner
