// SPDX-License-Identifier: Apache-2.0
#include "learner/model/gpu_properties.h"

#include <optional>
#include <string_view>

namespace triode {
namespace {

// The known gpu that new ones are compared with, and its clocks, which its traits do not hold.
struct Reference {
  std::string_view name;
  double clock_khz = 0;
  double memory_clock_khz = 0;
  double memory_bus_bits = 0;
};
constexpr Reference kAmpere = {"a100", 1.41e6, 1.215e6, 5120};
constexpr Reference kHopper = {"h100", 1.755e6, 2.619e6, 5120};

// What one multiprocessor multiplies in a cycle, over what the reference's does.
struct Rates {
  double tensor = 1;
  double f32 = 1;
  double f64 = 1;
};

Rates rates_of(int major, int minor) {
  if (major == 7) return {.tensor = 0.5, .f32 = 1, .f64 = minor == 0 ? 0.5 : 0.03};
  if (major == 8 && minor != 0) return {.tensor = 0.5, .f32 = 2, .f64 = 0.03};
  if (major == 10) return {.tensor = 2, .f32 = 1, .f64 = 0.6};
  if (major > 10) return {.tensor = 0.25, .f32 = 1, .f64 = 0.02};  // desktop: 12.x
  return {};
}

double ratio(int64_t told, double reference) {
  return told > 0 ? static_cast<double>(told) / reference : 1;
}

Status check(const GpuProperties& p) {
  if (p.capability_major < 7) {
    return unsupported(
        "the gpu \"" + p.name + "\" has compute capability " + std::to_string(p.capability_major) +
        "." + std::to_string(p.capability_minor) + "; the learner knows kernels for 7.0 and above");
  }
  const bool is_sized = p.multiprocessors > 0 && p.smem_per_multiprocessor_bytes > 0 &&
                        p.smem_per_block_bytes > 0 && p.l2_bytes > 0;
  if (!is_sized) {
    return invalid_argument("the properties of the gpu \"" + p.name +
                            "\" lack a size: multiprocessors, shared memory or L2");
  }
  return {};
}

GpuTraits scaled(const GpuTraits& known, const Reference& reference, const GpuProperties& p) {
  GpuTraits gpu = known;
  gpu.multiprocessors = static_cast<double>(p.multiprocessors);
  gpu.smem_per_multiprocessor_bytes = static_cast<double>(p.smem_per_multiprocessor_bytes);
  gpu.smem_per_block_bytes = static_cast<double>(p.smem_per_block_bytes);
  gpu.l2_bytes = static_cast<double>(p.l2_bytes);
  const double cycles =
      gpu.multiprocessors / known.multiprocessors * ratio(p.clock_khz, reference.clock_khz);
  const Rates rates = rates_of(p.capability_major, p.capability_minor);
  gpu.tensor16_flops *= cycles * rates.tensor;
  gpu.tf32_flops *= cycles * rates.tensor;
  gpu.f8_flops *= cycles * rates.tensor;
  gpu.f32_flops *= cycles * rates.f32;
  gpu.f64_flops *= cycles * rates.f64;
  gpu.l2_bytes_per_s *= cycles;
  gpu.dram_bytes_per_s *= ratio(p.memory_clock_khz, reference.memory_clock_khz) *
                          ratio(p.memory_bus_bits, reference.memory_bus_bits);
  gpu.has_warpgroup_mma = p.capability_major == 9;
  return gpu;
}

}  // namespace

Result<DeviceTraits> traits_of_gpu(const GpuProperties& properties) {
  if (auto known = find_gpu(properties.name)) return *known;
  TRIODE_TRY(check(properties));
  const bool is_recent = properties.capability_major == 9 || properties.capability_major == 10;
  const Reference& reference = is_recent ? kHopper : kAmpere;
  const std::optional<DeviceTraits> nearest = find_gpu(reference.name);
  if (!nearest) return internal_error("no gpu is known by the name of the reference");
  DeviceTraits traits = *nearest;
  traits.name = properties.name;
  traits.gpu = scaled(nearest->gpu, reference, properties);
  return traits;
}

}  // namespace triode
