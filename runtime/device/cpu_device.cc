// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu_device.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "jit/x86/gemm_program.h"
#include "jit/x86/gemm_space.h"
#include "runtime/device/cold_operands.h"
#include "runtime/device/cpu_artifact.h"
#include "runtime/device/cpu_target.h"
#include "runtime/device/pair_timer.h"
#include "runtime/device/parallel_library.h"
#include "runtime/device/threaded_gemm.h"
#include "runtime/device/usable_cores.h"

namespace triode {
namespace {

Status check_runnable(std::span<const x86::IsaId> isas) {
  const auto runnable = x86::runnable_isas();
  if (runnable.empty()) {
    return unsupported("This processor has no AVX2 with FMA, which the cpu device needs.");
  }
  for (const x86::IsaId isa : isas) {
    if (std::find(runnable.begin(), runnable.end(), isa) == runnable.end()) {
      return invalid_argument("This processor cannot run " + std::string(x86::describe(isa).name) +
                              " code.");
    }
  }
  return {};
}

const CpuArtifact& as_cpu_artifact(const Artifact& artifact) {
  assert(dynamic_cast<const CpuArtifact*>(&artifact) != nullptr && "built by another device");
  return static_cast<const CpuArtifact&>(artifact);
}

// Never merged into run(), whose way to the kernel would save registers and make room for the text:
// a tenth of an 8x8x8 product.
[[gnu::noinline, gnu::cold]] Status workspace_exhausted(const CpuArtifact& artifact) {
  return resource_exhausted("No memory for " + std::to_string(artifact.workspace_bytes()) +
                            " bytes of workspace of " + to_string(artifact.problem()) + ".");
}

Result<PairMeasurement> time_warm(const CpuArtifact& artifact, const VendorKernel& vendor,
                                  const Operands& operands, const TimingOptions& timing,
                                  InterleavedOptions options) {
  return time_pair([&] { artifact.run(operands); }, [&] { vendor(operands); }, timing,
                   std::move(options));
}

Result<PairMeasurement> time_cold(const CpuArtifact& artifact, const VendorKernel& vendor,
                                  const Operands& operands, const TimingOptions& timing,
                                  InterleavedOptions options) {
  ColdOperands cold = TRIODE_TRY(
      ColdOperands::make(artifact.problem(), operands,
                         std::chrono::duration<double, std::nano>(options.min_sample).count()));
  options.max_repeats = cold.count();
  options.before_sample = [&cold](size_t, int) { cold.evict(); };
  return time_pair([&] { artifact.run(cold.next()); }, [&] { vendor(cold.next()); }, timing,
                   std::move(options));
}

}  // namespace

Result<std::unique_ptr<CpuDevice>> CpuDevice::create(CpuDeviceOptions options) {
  TRIODE_TRY(check_runnable(options.isas));
  if (options.cores < 0) {
    return invalid_argument("A cpu device cannot use " + std::to_string(options.cores) + " cores.");
  }
  if (options.isas.empty()) {
    const auto runnable = x86::runnable_isas();
    options.isas.assign(runnable.begin(), runnable.end());
  }
  if (options.cores == 0) options.cores = usable_cores();
  return std::unique_ptr<CpuDevice>(new CpuDevice(std::move(options)));
}

CpuDevice::CpuDevice(CpuDeviceOptions options)
    : options_(std::move(options)), target_(detect_cpu_target(options_.isas, options_.cores)) {}

Result<Space> CpuDevice::enumerate(const Problem& problem) const {
  TRIODE_TRY(problem.validate());
  return x86::gemm_space(problem, options_.isas, options_.cores);
}

Result<std::unique_ptr<Artifact>> CpuDevice::build(const Problem& problem, const Config& config) {
  const Space space = TRIODE_TRY(enumerate(problem));
  if (const auto reason = space.why_illegal(config)) {
    return invalid_argument("Illegal config for " + to_string(problem) + ": " + *reason);
  }
  const x86::GemmConfig gemm_config = x86::to_gemm_config(config);
  std::unique_ptr<Artifact> artifact;
  if (gemm_config.threads > 1) {
    const ParallelFor loop =
        options_.parallel_for ? options_.parallel_for : TRIODE_TRY(parallel_library());
    artifact = std::make_unique<CpuArtifact>(
        problem, TRIODE_TRY(ThreadedGemm::build(problem, gemm_config, kernels_, loop)));
  } else {
    artifact = std::make_unique<CpuArtifact>(
        problem, TRIODE_TRY(x86::GemmProgram::build(problem, gemm_config, kernels_)));
  }
  return artifact;
}

Status CpuDevice::run(const Artifact& artifact, const Operands& operands) {
  const CpuArtifact& code = as_cpu_artifact(artifact);
  if (!code.accepts(operands)) return code.check(operands);
  if (!code.run(operands)) return workspace_exhausted(code);
  return {};
}

Result<PairMeasurement> CpuDevice::time(const Artifact& artifact, const VendorKernel& vendor,
                                        const Operands& operands, const TimingOptions& options) {
  const CpuArtifact& code = as_cpu_artifact(artifact);
  if (!vendor) return invalid_argument("There is no vendor's kernel to time against.");
  // Checks the operands, and grows the workspace off the clock; from here on run() cannot fail.
  TRIODE_TRY(run(artifact, operands));
  InterleavedOptions interleaved;
  interleaved.clock = options_.clock;
  interleaved.interruptions = options_.interruptions;
  if (options.cache_state == CacheState::kCold) {
    return time_cold(code, vendor, operands, options, std::move(interleaved));
  }
  return time_warm(code, vendor, operands, options, std::move(interleaved));
}

}  // namespace triode
