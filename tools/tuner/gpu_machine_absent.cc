// SPDX-License-Identifier: Apache-2.0
// Triode built without CUDA: calls on a GPU are answered by their vendor.
#include "tools/tuner/gpu_machine.h"

namespace triode {
class CudaCompiler {};
}  // namespace triode

namespace triode::tuner {
namespace {

Status without_cuda() {
  return unsupported("this tuner was built without CUDA");
}

}  // namespace

GpuMachine::~GpuMachine() = default;
bool GpuMachine::runs(const Target& target) {
  return target.isa.starts_with("sm_");
}
void GpuMachine::adapt(ProblemSearchOptions&) {}
Result<Space> GpuMachine::space_of(const Target&, const Problem&) {
  return without_cuda();
}
std::vector<Result<uint64_t>> GpuMachine::emit(const Target&, const Problem&,
                                               std::span<const Config>) {
  return {};
}
Result<std::string> GpuMachine::code_of(const TunedCall&, const std::string&) {
  return without_cuda();
}
Result<Target> GpuMachine::recorded_as(const Target&, const Problem&) {
  return without_cuda();
}
Status GpuMachine::complete(const Target&, Verdict&) {
  return {};
}

std::function<Result<std::unique_ptr<TrialSession>>(const BeginRequest&)> gpu_trials(uint64_t) {
  return {};
}

}  // namespace triode::tuner
