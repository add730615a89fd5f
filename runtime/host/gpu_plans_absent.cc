// SPDX-License-Identifier: Apache-2.0
// Triode built without CUDA: no GPU is ever used.
#include "runtime/host/gpu_plans.h"

namespace triode::host {

struct GpuPlans::Parts {};

GpuPlans::GpuPlans() = default;
GpuPlans::~GpuPlans() = default;
void GpuPlans::start() noexcept {}
void GpuPlans::stop() noexcept {}
void GpuPlans::forget_thread() noexcept {}
const PlanMaker* GpuPlans::maker(size_t) {
  return nullptr;
}

}  // namespace triode::host
