// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/config.h"
#include "core/problem.h"
#include "core/settings.h"
#include "core/status.h"
#include "runtime/device/cpu_device.h"
#include "runtime/host/executable.h"
#include "runtime/host/plan_maker.h"

namespace triode::host {

// Turns plans into code of this process. Any thread; compiles, so never called on a hit.
class CpuPlanMaker final : public PlanMaker {
 public:
  static Result<std::unique_ptr<CpuPlanMaker>> create();

  // The config as its space writes it. kCorrupt if `code_digest` is not 0 and the code made here is
  // another: what was checked and timed then is not what would run.
  Result<std::unique_ptr<const Executable>> build(const Problem& problem,
                                                  std::string_view config_text,
                                                  uint64_t code_digest) const;

  // A config that nobody measured: the first that a search would try, or one drawn by the problem,
  // the same for pointers of any alignment: programs expect equal calls to give equal bits.
  Result<std::unique_ptr<const Executable>> build_forced(const Problem& problem,
                                                         ForcedPlans which) const;

  CpuDevice& device() const { return *device_; }

  const Target& target() const override { return device_->target(); }
  bool serves(const PlanEntry& entry) const override;
  Result<std::unique_ptr<const Executable>> make(const Problem& problem,
                                                 const MadePlan& plan) const override;

 private:
  explicit CpuPlanMaker(std::unique_ptr<CpuDevice> device) : device_(std::move(device)) {}
  Result<std::unique_ptr<const Executable>> build_config(const Problem& problem,
                                                         const Config& config,
                                                         uint64_t code_digest) const;

  std::unique_ptr<CpuDevice> device_;
};

}  // namespace triode::host
