// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/fake_device.h"

#include <cstdlib>
#include <string>

namespace triode {
namespace {

class FakeArtifact final : public Artifact {
 public:
  FakeArtifact(const Problem& its_problem, const Config& its_config)
      : problem(its_problem), config(its_config) {}
  uint64_t digest() const override { return static_cast<uint64_t>(100 * config[0] + config[1]); }
  size_t code_bytes() const override { return 0; }
  size_t workspace_bytes() const override { return 0; }

  const Problem problem;
  const Config config;
};

void multiply(const Problem& problem, const Operands& operands, float error) {
  const auto* a = static_cast<const float*>(operands.a);
  const auto* b = static_cast<const float*>(operands.b);
  auto* c = static_cast<float*>(operands.c);
  for (int64_t i = 0; i < problem.m; ++i) {
    for (int64_t j = 0; j < problem.n; ++j) {
      float sum = error;
      for (int64_t p = 0; p < problem.k; ++p)
        sum += a[i * problem.lda + p] * b[p * problem.ldb + j];
      c[i * problem.ldc + j] = sum;
    }
  }
}

}  // namespace

FakeDevice::FakeDevice(FakeClock& clock) : clock_(clock) {
  target_.device = "fake";
  target_.isa = "none";
  target_.cores = 4;
}

Result<Space> FakeDevice::enumerate(const Problem& problem) const {
  Space space;
  space.add({"x", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {}});
  space.add({"y", {0, 1, 2, 3, 4, 5, 6, 7}, {}});
  space.add(
      {"threads", problem.threads > 1 ? std::vector<int32_t>{1, 4} : std::vector<int32_t>{1}, {}});
  space.add({"split", {0, 1, 2}, {}});
  for (int i = 0; i < idle_parameters; ++i) space.add({"idle" + std::to_string(i), {0, 1, 2}, {}});
  space.add_rule("one thread splits nothing",
                 [](const Config& config) { return config[2] > 1 || config[3] == 0; });
  return space;
}

Result<std::unique_ptr<Artifact>> FakeDevice::build(const Problem& problem, const Config& config) {
  clock_.advance(std::chrono::microseconds(10));
  built.push_back(config);
  if (uncompilable_x.contains(config[0])) return unsupported("x is too hard");
  if (built.size() > most_built || too_large_x.contains(config[0]))
    return resource_exhausted("no memory for code");
  return std::unique_ptr<Artifact>(std::make_unique<FakeArtifact>(problem, config));
}

Status FakeDevice::run(const Artifact& artifact, const Operands& operands) {
  const auto& fake = static_cast<const FakeArtifact&>(artifact);
  if (greedy_x.contains(fake.config[0])) return resource_exhausted("no memory for blocks");
  const bool is_wrong = wrong_x.contains(fake.config[0]);
  const int64_t steps = std::abs(fake.config[0] - fast_x) + std::abs(fake.config[1] - fast_y);
  multiply(fake.problem, operands, is_wrong ? 1.0F : 0.0F);
  if (!is_wrong) clock_.advance((1 + steps) * step);
  return {};
}

Result<PairMeasurement> FakeDevice::time(const Artifact& artifact, const VendorKernel& vendor,
                                         const Operands& operands, const TimingOptions& options) {
  using Time = std::chrono::duration<double, std::nano>;
  timed.push_back(static_cast<const FakeArtifact&>(artifact).config);
  std::vector<Sample> ours;
  std::vector<Sample> theirs;
  std::vector<double> speedups;
  for (int round = 0; round < options.min_rounds; ++round) {
    if (options.should_stop && options.should_stop()) return unavailable("stopped");
    const std::chrono::nanoseconds begin = clock_.now();
    TRIODE_TRY(run(artifact, operands));
    const std::chrono::nanoseconds middle = clock_.now();
    vendor(operands);
    ours.push_back({Time(middle - begin)});
    theirs.push_back({Time(clock_.now() - middle)});
    speedups.push_back(theirs.back().per_call / ours.back().per_call);
  }
  return PairMeasurement{.candidate = summarize(ours),
                         .vendor = summarize(theirs),
                         .speedup = median_of(speedups),
                         .speedup_spread = spread_of(speedups)};
}

}  // namespace triode
