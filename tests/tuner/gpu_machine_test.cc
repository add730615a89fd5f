// SPDX-License-Identifier: Apache-2.0
// What the tuner compiles and keeps for GPUs, with a Python that answers without Triton.
#include "tools/tuner/gpu_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "runtime/device/cuda_program.h"
#include "runtime/tuner/trial_log.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;

// Keeps no trials, but the code beside them.
class KeptCode final : public TrialLog {
 public:
  explicit KeptCode(ArtifactStore& artifacts) : artifacts_(artifacts) {}
  std::vector<Trial> known(const Target&, const Problem&, const Space&) override { return {}; }
  Status record(const Target&, const Problem&, const Space&, std::vector<ConfigTrial>) override {
    return {};
  }
  ArtifactStore* artifacts() override { return &artifacts_; }

 private:
  ArtifactStore& artifacts_;
};

class GpuMachineTest : public ::testing::Test {
 protected:
  GpuMachineTest() {
    set_python("exec " TRIODE_TEST_PYTHON " " TRIODE_MISBEHAVING_WORKER);
    setenv("TRIODE_WORKER_ANSWERS_ALL", "1", 1);
    set_toolchain("triton 9.9");
    target_.device = "a GPU";
    target_.isa = "sm_80";
    target_.toolchain = "triode cuda 1";
    target_.cores = 108;
  }
  ~GpuMachineTest() override {
    for (const char* name : {"TRIODE_PYTHON", "TRIODE_WORKER_ANSWERS_ALL"}) unsetenv(name);
    unsetenv("TRIODE_WORKER_TOOLCHAIN");
  }

  // The stand-in for Python, for machines that are made from now on.
  void set_python(const std::string& command) const {
    const std::filesystem::path script = folder_.path() / "python";
    std::ofstream(script) << "#!/bin/sh\n" << command << '\n';
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    setenv("TRIODE_PYTHON", script.c_str(), 1);
  }
  static void set_toolchain(const char* text) { setenv("TRIODE_WORKER_TOOLCHAIN", text, 1); }

  // As another tuner of the same cache.
  void restart() { machine_ = std::make_unique<GpuMachine>(trials_); }

  std::vector<Result<uint64_t>> emit() {
    const Space space = machine_->space_of(target_, problem_).take();
    const std::vector<Config> configs = space.enumerate(1);
    config_ = space.to_string(configs.front());
    return machine_->emit(target_, problem_, configs);
  }

  // A verdict with a plan of the config that was emitted last.
  Verdict verdict(uint64_t digest) const {
    Verdict made{1, {}, ""};
    made.plan.push_back({to_string(problem_), config_, "a vendor", digest, 1.5, 3, 2});
    return made;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Cache> cache_ = Cache::open((folder_.path() / "store").string(), {}).take();
  KeptCode trials_{cache_->artifacts()};
  std::unique_ptr<GpuMachine> machine_ = std::make_unique<GpuMachine>(trials_);
  Target target_;
  const Problem problem_ = Problem::mm(DType::kF16, 128, 128, 128);
  std::string config_;
};

TEST_F(GpuMachineTest, FindsWhatTheSameCompilerMadeBefore) {
  const uint64_t digest = emit()[0].value();
  restart();
  // Each of its workers would make other code.
  EXPECT_EQ(emit()[0].value(), digest);
}

TEST_F(GpuMachineTest, CompilesAnewWithAnotherCompiler) {
  const uint64_t digest = emit()[0].value();
  restart();
  set_toolchain("triton 9.10");
  EXPECT_NE(emit()[0].value(), digest);
}

TEST_F(GpuMachineTest, RecordsTrialsUnderWhatCompiles) {
  EXPECT_EQ(machine_->recorded_as(target_, problem_)->toolchain, "triode cuda 1; triton 9.9");
  EXPECT_THAT(machine_->recorded_as(target_, Problem::mm(DType::kF64, 64, 64, 64))->toolchain,
              HasSubstr("; nvrtc "));
}

TEST_F(GpuMachineTest, GivesAPlanTheCodeThatWasCheckedWhateverCompilesByNow) {
  const uint64_t digest = emit()[0].value();
  set_toolchain("triton 9.10");
  restart();
  EXPECT_TRUE(emit()[0].ok());
  restart();
  set_python("exit 1");
  Verdict sent = verdict(digest);
  ASSERT_TRUE(machine_->complete(target_, sent).ok());
  EXPECT_EQ(digest_of(sent.plan[0].code), digest);
}

TEST_F(GpuMachineTest, SaysThatTheCodeOfAPlanIsGone) {
  const uint64_t digest = emit()[0].value();
  ASSERT_TRUE(cache_->artifacts().shrink_to(0).ok());
  restart();
  Verdict sent = verdict(digest);
  EXPECT_EQ(machine_->complete(target_, sent).code(), StatusCode::kNotFound);
}

TEST_F(GpuMachineTest, SaysThatTheCompilerWasNotThere) {
  set_python("exit 1");
  EXPECT_EQ(emit()[0].status().code(), StatusCode::kUnavailable);
  restart();
  set_python("exec " TRIODE_TEST_PYTHON " " TRIODE_MISBEHAVING_WORKER);
  EXPECT_TRUE(emit()[0].ok());
}

}  // namespace
}  // namespace triode::tuner
