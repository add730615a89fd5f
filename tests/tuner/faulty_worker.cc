// SPDX-License-Identifier: Apache-2.0
// A trial worker whose kernels do what they are told: the file that FAULTS names holds lines
// `<fault> <text>`, and a config whose text contains the text has the fault. `kill begin` kills it
// before its first call instead, `kill-once begin` the first worker alone, and with `hang begin` it
// has none. A fault with the end
// `-build` comes while the config is built, `-timing` when it has been checked, `-race` while it is
// raced. On descriptor 3, like the real one.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "runtime/device/cpu_device.h"
#include "runtime/tuner/trial_worker.h"
#include "runtime/tuner/worker_messages.h"

namespace triode::tuner {
namespace {

std::string fault_of(const std::string& config) {
  std::ifstream file(std::getenv("TRIODE_TEST_FAULTS"));
  std::string fault, text;
  while (file >> fault >> text) {
    if (config.find(text) != std::string::npos) return fault;
  }
  return "";
}

class FaultyArtifact final : public Artifact {
 public:
  FaultyArtifact(std::unique_ptr<Artifact> its_inner, std::string its_fault, Problem its_problem)
      : inner(std::move(its_inner)), fault(std::move(its_fault)), problem(its_problem) {}
  uint64_t digest() const override { return inner->digest(); }
  size_t code_bytes() const override { return inner->code_bytes(); }
  size_t workspace_bytes() const override { return inner->workspace_bytes(); }

  const std::unique_ptr<Artifact> inner;
  const std::string fault;
  const Problem problem;
  mutable int runs = 0;
};

void take_all_memory() {
  for (;;) *const_cast<volatile char*>(new char[16 << 20]) = 1;
}

constexpr int kSocket = 3;

// Half an answer, or something that is none, as from a kernel that wrote where it should not.
void answer_badly(bool cuts) {
  const std::string answer = to_bytes(to_frame(TrialAnswer()));
  const std::string bytes = cuts ? answer.substr(0, answer.size() / 2) : std::string(64, 'x');
  const ssize_t written = write(kSocket, bytes.data(), bytes.size());
  if (cuts || written < 0) _exit(0);
  for (;;) pause();
}

void die(const std::string& fault) {
  if (fault == "segv") *static_cast<volatile int*>(nullptr) = 1;
  if (fault == "kill") raise(SIGKILL);
  if (fault == "hang") {
    for (;;) pause();
  }
}

// Of a fault `<fault>-<stage>`; empty if it is of another stage.
std::string fault_at(const std::string& stage, const std::string& fault) {
  const size_t dash = fault.find('-');
  return dash != std::string::npos && fault.substr(dash + 1) == stage ? fault.substr(0, dash) : "";
}

void misbehave(const std::string& fault, const Problem& problem, const Operands& operands) {
  auto* const c = static_cast<float*>(operands.c);
  die(fault);
  if (fault == "ill") raise(SIGILL);
  if (fault == "abort") std::abort();
  if (fault == "exit") _exit(0);
  if (fault == "cut" || fault == "nonsense") answer_badly(fault == "cut");
  if (fault == "deaf") close(kSocket), die("hang");
  if (fault == "memory") take_all_memory();
  if (fault == "wrong") c[0] += 1;
  if (fault == "nan") c[0] = std::numeric_limits<float>::quiet_NaN();
  if (fault == "gap") c[problem.n] = 0;
  if (fault == "beyond") {
    const volatile float* const a = static_cast<const float*>(operands.a);
    static_cast<void>(a[(problem.m - 1) * problem.lda + problem.k]);
  }
  if (fault == "scribble") c[(problem.m - 1) * problem.ldc + problem.n] = 0;
}

class FaultyDevice final : public Device {
 public:
  explicit FaultyDevice(std::unique_ptr<CpuDevice> inner) : inner_(std::move(inner)) {}
  const Target& target() const override { return inner_->target(); }
  Result<Space> enumerate(const Problem& problem) const override {
    return inner_->enumerate(problem);
  }
  Result<std::unique_ptr<Artifact>> build(const Problem& problem, const Config& config) override {
    const Space space = TRIODE_TRY(inner_->enumerate(problem));
    const std::string fault = fault_of(space.to_string(config));
    if (fault == "compile") return unsupported("as told");
    die(fault_at("build", fault));
    auto inner = TRIODE_TRY(inner_->build(problem, config));
    return std::unique_ptr<Artifact>(
        std::make_unique<FaultyArtifact>(std::move(inner), fault, problem));
  }
  Status run(const Artifact& artifact, const Operands& operands) override {
    const auto& faulty = static_cast<const FaultyArtifact&>(artifact);
    TRIODE_TRY(inner_->run(*faulty.inner, operands));
    misbehave(faulty.fault, faulty.problem, operands);
    // One run is for the check, or four before a race.
    if (++faulty.runs > 5) die(fault_at("timing", faulty.fault));
    return {};
  }
  Result<PairMeasurement> time(const Artifact& artifact, const VendorKernel& vendor,
                               const Operands& operands, const TimingOptions& options) override {
    const auto& faulty = static_cast<const FaultyArtifact&>(artifact);
    die(fault_at("race", faulty.fault));
    return inner_->time(*faulty.inner, vendor, operands, options);
  }

 private:
  const std::unique_ptr<CpuDevice> inner_;
};

Result<std::unique_ptr<Device>> make_device(int32_t cores) {
  const std::string fault = fault_of("begin");
  if (fault == "kill-once") std::ofstream(std::getenv("TRIODE_TEST_FAULTS"));  // empties it
  if (fault == "kill-once") raise(SIGKILL);
  die(fault);
  CpuDeviceOptions options;
  options.cores = cores;
  auto inner = TRIODE_TRY(CpuDevice::create(std::move(options)));
  return std::unique_ptr<Device>(std::make_unique<FaultyDevice>(std::move(inner)));
}

}  // namespace
}  // namespace triode::tuner

int main() {
  triode::tuner::TrialWorkerOptions options;
  options.make_device = triode::tuner::make_device;
  options.memory_bytes = uint64_t{512} << 20;
  return triode::tuner::run_trial_worker(triode::FileDescriptor(triode::tuner::kSocket), options);
}
