// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/status.h"
#include "core/target.h"

namespace triode {

enum class DeviceKind : uint8_t { kCpu, kGpu };
std::string_view to_string(DeviceKind kind);  // "cpu", "gpu"

// What the gpu features need to know. Rates are of the data sheet, rounded as measured programs see
// them.
struct GpuTraits {
  double multiprocessors = 0;
  double smem_per_multiprocessor_bytes = 0;
  double smem_per_block_bytes = 0;  // most that one block may ask for
  double registers_per_multiprocessor = 65536;
  double threads_per_multiprocessor = 2048;
  double l2_bytes = 0;
  double dram_bytes_per_s = 0;
  double l2_bytes_per_s = 0;
  double tensor16_flops = 0;  // per second, f16 and bf16
  double tf32_flops = 0;
  double f32_flops = 0;
  double f64_flops = 0;
  double f8_flops = 0;  // and i8; that of f16 where there is no faster path
  double launch_s = 4e-6;
  bool has_warpgroup_mma = false;  // Hopper: four warps multiply together

  bool operator==(const GpuTraits&) const = default;
};

// What the cpu features need to know.
struct CpuTraits {
  double cores = 1;
  double vector_bytes = 32;      // widest that kernels may use
  double vector_registers = 16;  // of that width
  double fma_per_cycle = 2;      // vector multiply-adds started in a cycle
  double hz = 2.5e9;             // only the level head sees it, and learns the rest
  double l1_bytes = 32768;
  double l2_bytes = 1048576;
  double l3_bytes = 0;  // of all cores together; 0 if there is none
  // Usual figures for one core; they place the knees of the features, the net learns the rest.
  double l2_bytes_per_cycle = 32;
  double l3_bytes_per_cycle = 10;
  double dram_bytes_per_cycle = 4;

  bool operator==(const CpuTraits&) const = default;
};

// A device as the features see it. Only the part of its kind is filled in.
struct DeviceTraits {
  std::string name;    // "a100"; of a cpu its marketing name
  std::string family;  // devices that share a model: "nvidia-ampere", "nvidia-hopper", "x86-avx2"
  DeviceKind kind = DeviceKind::kCpu;
  GpuTraits gpu;
  CpuTraits cpu;

  bool operator==(const DeviceTraits&) const = default;
};

// The gpus whose traits are known, by short name.
std::span<const DeviceTraits> known_gpus();

// By a short name ("a100", "H100"), or a marketing name that contains one ("NVIDIA
// A100-SXM4-40GB").
std::optional<DeviceTraits> find_gpu(std::string_view name);

// Of a target: isa "sm_..." is a gpu and must be known by name (kUnsupported says which are); any
// other is a cpu, described by the target itself.
Result<DeviceTraits> traits_of(const Target& target);

}  // namespace triode
