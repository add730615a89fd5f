// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/host/plan_maker.h"

namespace triode::host {

// Turns plans into code on the GPUs that the program uses. Where Triode was built without CUDA
// there are none (gpu_plans_absent.cc).
//
// Code is loaded by a thread of its own: the background thread has descriptors of its own, and so
// not the GPU's, which the driver needs.
class GpuPlans {
 public:
  GpuPlans();
  ~GpuPlans();

  // Starts that thread, the first time and unless stop() came first. On a thread of the program,
  // whose descriptors it shares. Fails in silence: the vendor answers then.
  void start() noexcept;

  // Ends it and waits for it: as long as a load under way takes. Waiting makers get an error.
  void stop() noexcept;

  // In a forked child, which has no such thread, and no GPU.
  void forget_thread() noexcept;

  // The maker for the place of that index (gpu_places.h), in the order in which the program came to
  // them; null if it has not come to so many. Valid as long as this. For the background thread.
  const PlanMaker* maker(size_t index);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace triode::host
