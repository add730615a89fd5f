// SPDX-License-Identifier: Apache-2.0
#include "loop_device.h"

#include <algorithm>
#include <string>

#include "core/key.h"
#include "runtime/device/pair_timer.h"

using triode::Config;
using triode::Operands;
using triode::Problem;
using triode::Result;
using triode::Space;
using triode::Status;

namespace {

// Its parameters, by their positions in a config.
enum Parameter : size_t { kTile, kOrder };
enum Order : int32_t { kRows, kSums };

class LoopArtifact final : public triode::Artifact {
 public:
  LoopArtifact(const Problem& its_problem, const Config& its_config, uint64_t digest)
      : problem(its_problem), config(its_config), digest_(digest) {}
  uint64_t digest() const override { return digest_; }
  size_t code_bytes() const override { return 0; }  // the compiler's, part of the program
  size_t workspace_bytes() const override { return 0; }

  const Problem problem;
  const Config config;

 private:
  const uint64_t digest_;
};

void multiply(const Problem& p, const Config& config, const Operands& operands) {
  const auto* a = static_cast<const float*>(operands.a);
  const auto* b = static_cast<const float*>(operands.b);
  auto* c = static_cast<float*>(operands.c);
  const auto alpha = static_cast<float>(operands.alpha);
  const auto beta = static_cast<float>(operands.beta);
  for (int64_t i = 0; i < p.m; ++i) {
    float* row = c + i * p.ldc;
    // What c held counts only if beta does: it may be NaN.
    for (int64_t j = 0; j < p.n; ++j) row[j] = beta == 0 ? 0 : beta * row[j];
    if (alpha == 0) continue;  // a and b are not looked at
    for (int64_t begin = 0; begin < p.n; begin += config[kTile]) {
      const int64_t end = std::min(p.n, begin + config[kTile]);
      if (config[kOrder] == kRows) {
        for (int64_t k = 0; k < p.k; ++k) {
          const float factor = alpha * a[i * p.lda + k];
          for (int64_t j = begin; j < end; ++j) row[j] += factor * b[k * p.ldb + j];
        }
      } else {
        for (int64_t j = begin; j < end; ++j) {
          float sum = 0;
          for (int64_t k = 0; k < p.k; ++k) sum += a[i * p.lda + k] * b[k * p.ldb + j];
          row[j] += alpha * sum;
        }
      }
    }
  }
}

}  // namespace

LoopDevice::LoopDevice() {
  target_.device = "plain loops";
  target_.isa = "any";
  target_.toolchain = "loops 1";  // another one makes old timings hints
  target_.cores = 1;
}

Result<Space> LoopDevice::enumerate(const Problem& problem) const {
  Problem plain = Problem::mm(triode::DType::kF32, problem.m, problem.n, problem.k);
  plain.lda = problem.lda, plain.ldb = problem.ldb, plain.ldc = problem.ldc;
  plain.alignment_bytes = problem.alignment_bytes;
  plain.alpha = problem.alpha, plain.beta = problem.beta;
  plain.threads = problem.threads;
  if (problem != plain) {
    return triode::unsupported("plain loops multiply f32 matrices as they lie, not '" +
                               to_string(problem) + "'");
  }
  Space space;
  space.add({"tile", {16, 64, 256, 1024}, {}});
  space.add({"order", {kRows, kSums}, {"rows", "sums"}});
  const int64_t n = problem.n;
  space.add_rule(
      "a tile wider than c runs the code of one that is as wide",
      [n](const Config& config) { return config[kTile] == 16 || config[kTile] < 2 * n; });
  return space;
}

Result<std::unique_ptr<triode::Artifact>> LoopDevice::build(const Problem& problem,
                                                            const Config& config) {
  const Space space = TRIODE_TRY(enumerate(problem));
  const std::string code = target_.toolchain + to_string(problem) + space.to_string(config);
  return std::unique_ptr<triode::Artifact>(
      std::make_unique<LoopArtifact>(problem, config, triode::hash_bytes(code)));
}

Status LoopDevice::run(const triode::Artifact& artifact, const Operands& operands) {
  const auto& loops = static_cast<const LoopArtifact&>(artifact);
  multiply(loops.problem, loops.config, operands);
  return {};
}

Result<triode::PairMeasurement> LoopDevice::time(const triode::Artifact& artifact,
                                                 const triode::VendorKernel& vendor,
                                                 const Operands& operands,
                                                 const triode::TimingOptions& options) {
  const auto& loops = static_cast<const LoopArtifact&>(artifact);
  return triode::time_pair([&] { multiply(loops.problem, loops.config, operands); },
                           [&] { vendor(operands); }, options);
}
