// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/gpu_rankers.h"

#include <algorithm>
#include <utility>

#include "core/kernel_family.h"
#include "learner/model/device_traits.h"
#include "tools/tuner/tuner_model.h"

namespace triode::tuner {
namespace {

bool is_trained_on(const CostModel& model, KernelFamily family) {
  const auto& families = model.snapshot().support.families;
  return std::find(families.begin(), families.end(), family) != families.end();
}

}  // namespace

Ranker& GpuRankers::of(const Target& target) {
  if (!uses_model_ || !target.isa.starts_with("sm_")) return alone_;
  auto known = learned_.find(target.device);
  if (known == learned_.end()) {
    known = learned_.emplace(target.device, learned_for(target)).first;
  }
  return known->second ? static_cast<Ranker&>(*known->second) : alone_;
}

std::unique_ptr<LearnedRanker> GpuRankers::learned_for(const Target& target) {
  Result<DeviceTraits> device = traits_of(target);
  if (!device.ok()) return nullptr;  // one that nobody measured: the estimate is as good
  if (model_ == nullptr) load_model();
  if (model_ == nullptr) return nullptr;
  LearnedRankerOptions options;
  options.device = std::move(device).take();
  options.is_relative = !is_trained_on(*model_, KernelFamily::kTriton);
  options.family = options.is_relative ? KernelFamily::kInductor : KernelFamily::kTriton;
  return std::make_unique<LearnedRanker>(model_, alone_, std::move(options));
}

void GpuRankers::load_model() {
  Result<TunerModel> loaded = load_model_in_force(DeviceKind::kGpu, store_);
  if (loaded.ok()) model_ = loaded->model;
  uses_model_ = model_ != nullptr;
  events_.write("gpu-model", {{"name", model_ ? model_->snapshot().name : ""},
                              {"digest", model_ ? model_->digest() : ""},
                              {"origin", loaded.ok() ? loaded->origin : ""},
                              {"remark", loaded.ok() ? "" : loaded.status().message()}});
}

}  // namespace triode::tuner
