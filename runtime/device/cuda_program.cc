// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda_program.h"

#include "core/key.h"
#include "runtime/tuner/byte_codec.h"

namespace triode {
namespace {

// The first bytes of what to_bytes() writes; another number when the form changes.
constexpr std::string_view kMark = "triode cuda program 1\n";

Status check_launch(const CudaLaunch& launch) {
  if (launch.entry.empty() || launch.threads == 0 || launch.threads > 1024) {
    return corrupt("a launch of the GPU program has no kernel or no threads");
  }
  if (launch.ptx.empty() && launch.cubin.empty()) {
    return corrupt("a launch of the GPU program has no code");
  }
  if (launch.parameters.size() > kMostParameterBytes || launch.offsets.size() > kMostParameters) {
    return corrupt("a launch of the GPU program has too many parameters");
  }
  for (const uint32_t offset : launch.offsets) {
    if (offset >= launch.parameters.size()) return corrupt("a GPU parameter lies outside");
  }
  for (const CudaLaunch::Patch& patch : launch.patches) {
    if (patch.value > CallValue::kBetaF64 || patch.offset > launch.parameters.size() ||
        launch.parameters.size() - patch.offset < size_bytes(patch.value)) {
      return corrupt("a value of the call lies outside of the GPU program's parameters");
    }
  }
  return {};
}

}  // namespace

uint32_t size_bytes(CallValue value) {
  return value == CallValue::kAlphaF32 || value == CallValue::kBetaF32 ? 4 : 8;
}

std::string to_bytes(const CudaProgram& program) {
  CudaProgram copy = program;
  tuner::ByteWriter writer;
  copy.fields(writer);
  return std::string(kMark) + std::move(writer).take();
}

Result<CudaProgram> parse_cuda_program(std::string_view bytes) {
  if (!bytes.starts_with(kMark)) {
    return corrupt("these bytes are no GPU program of this version of Triode");
  }
  CudaProgram program;
  tuner::ByteReader reader(bytes.substr(kMark.size()));
  reader(program);
  TRIODE_TRY(reader.finish());
  if (program.launches.empty() || program.launches.size() > kMostLaunches) {
    return corrupt("a GPU program has no launch, or too many");
  }
  for (const CudaLaunch& launch : program.launches) TRIODE_TRY(check_launch(launch));
  return program;
}

uint64_t digest_of(std::string_view program_bytes) {
  return hash_bytes(program_bytes);
}

}  // namespace triode
