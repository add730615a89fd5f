// SPDX-License-Identifier: Apache-2.0
#include "learner/model/device_traits.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace triode {
namespace {

constexpr double kKiB = 1024;
constexpr double kMB = 1e6;
constexpr double kTera = 1e12;

DeviceTraits gpu_row(std::string name, std::string family, const GpuTraits& gpu) {
  return {std::move(name), std::move(family), DeviceKind::kGpu, gpu, {}};
}

GpuTraits a100() {
  GpuTraits gpu;
  gpu.multiprocessors = 108;
  gpu.smem_per_multiprocessor_bytes = 164 * kKiB;
  gpu.smem_per_block_bytes = 166912;
  gpu.l2_bytes = 40 * kMB;
  gpu.dram_bytes_per_s = 1.555 * kTera;
  gpu.l2_bytes_per_s = 4.5 * kTera;
  gpu.tensor16_flops = 312 * kTera;
  gpu.tf32_flops = 156 * kTera;
  gpu.f32_flops = 19.5 * kTera;
  gpu.f64_flops = 19.5 * kTera;
  gpu.f8_flops = 312 * kTera;
  return gpu;
}

GpuTraits h100() {
  GpuTraits gpu;
  gpu.multiprocessors = 132;
  gpu.smem_per_multiprocessor_bytes = 228 * kKiB;
  gpu.smem_per_block_bytes = 232448;
  gpu.l2_bytes = 50 * kMB;
  gpu.dram_bytes_per_s = 3.35 * kTera;
  gpu.l2_bytes_per_s = 7.5 * kTera;
  gpu.tensor16_flops = 800 * kTera;
  gpu.tf32_flops = 400 * kTera;
  gpu.f32_flops = 60 * kTera;
  gpu.f64_flops = 60 * kTera;
  gpu.f8_flops = 1600 * kTera;
  gpu.has_warpgroup_mma = true;
  return gpu;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

DeviceTraits cpu_of(const Target& target) {
  DeviceTraits traits;
  traits.name = target.device;
  traits.kind = DeviceKind::kCpu;
  const bool is_wide = target.isa == "avx512";
  traits.family = is_wide ? "x86-avx512" : "x86-avx2";
  CpuTraits& cpu = traits.cpu;
  cpu.cores = std::max(1, target.cores);
  cpu.vector_bytes = is_wide ? 64 : 32;
  cpu.vector_registers = target.isa.starts_with("avx512") ? 32 : 16;
  if (target.l1_bytes > 0) cpu.l1_bytes = static_cast<double>(target.l1_bytes);
  if (target.l2_bytes > 0) cpu.l2_bytes = static_cast<double>(target.l2_bytes);
  cpu.l3_bytes = static_cast<double>(std::max<int64_t>(0, target.l3_bytes));
  return traits;
}

}  // namespace

std::string_view to_string(DeviceKind kind) {
  return kind == DeviceKind::kCpu ? "cpu" : "gpu";
}

std::span<const DeviceTraits> known_gpus() {
  static const std::array kGpus = {gpu_row("a100", "nvidia-ampere", a100()),
                                   gpu_row("h100", "nvidia-hopper", h100())};
  return kGpus;
}

std::optional<DeviceTraits> find_gpu(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const DeviceTraits& gpu : known_gpus()) {
    if (lower.find(gpu.name) != std::string::npos) return gpu;
  }
  return std::nullopt;
}

Result<DeviceTraits> traits_of(const Target& target) {
  if (!target.isa.starts_with("sm_")) return cpu_of(target);
  if (auto gpu = find_gpu(target.device)) return *gpu;
  std::string names;
  for (const DeviceTraits& gpu : known_gpus()) names += (names.empty() ? "" : ", ") + gpu.name;
  return unsupported("the learner does not know the gpu \"" + target.device + "\"; it knows " +
                     names);
}

}  // namespace triode
