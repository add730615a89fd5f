// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda_target.h"

#include <array>
#include <cstdio>
#include <utility>

#include "runtime/device/cuda_driver.h"

namespace triode {
namespace {

Result<int> attribute(const CudaDriver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  TRIODE_TRY(driver.check(driver.cuDeviceGetAttribute(&value, which, device),
                          "asking for an attribute of a GPU"));
  return value;
}

Result<std::string> uuid_of(const CudaDriver& driver, CUdevice device) {
  CUuuid uuid{};
  TRIODE_TRY(driver.check(driver.cuDeviceGetUuid(&uuid, device), "asking for a GPU's uuid"));
  std::string text;
  for (const char byte : uuid.bytes) {
    std::array<char, 3> digits{};
    static_cast<void>(std::snprintf(digits.data(), digits.size(), "%02x",
                                    static_cast<unsigned>(static_cast<unsigned char>(byte))));
    text += digits.data();
  }
  return text;
}

Result<int> device_count(const CudaDriver& driver) {
  int count = 0;
  TRIODE_TRY(driver.check(driver.cuDeviceGetCount(&count), "counting GPUs"));
  return count;
}

// From the tables of NVIDIA's programming guide.
struct Architecture {
  const char* isa;
  int64_t shared_bytes;      // most of a block
  int64_t resident_threads;  // most of a multiprocessor
};
constexpr Architecture kArchitectures[] = {
    {"sm_70", 96 << 10, 2048},   {"sm_72", 96 << 10, 2048},  {"sm_75", 64 << 10, 1024},
    {"sm_80", 163 << 10, 2048},  {"sm_86", 99 << 10, 1536},  {"sm_87", 163 << 10, 1536},
    {"sm_89", 99 << 10, 1536},   {"sm_90", 227 << 10, 2048}, {"sm_100", 227 << 10, 2048},
    {"sm_103", 227 << 10, 2048}, {"sm_120", 99 << 10, 1536}, {"sm_121", 99 << 10, 1536}};
constexpr Architecture kLeast = {"", 48 << 10, 1024};

const Architecture& architecture_of(const std::string& isa) {
  for (const Architecture& each : kArchitectures) {
    if (isa == each.isa) return each;
  }
  return kLeast;
}

}  // namespace

Result<CudaDeviceIdentity> describe_cuda_device(const CudaDriver& driver, int ordinal) {
  CUdevice device = 0;
  TRIODE_TRY(driver.check(driver.cuDeviceGet(&device, ordinal), "opening a GPU"));
  std::array<char, 256> name{};
  TRIODE_TRY(
      driver.check(driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device),
                   "asking for a GPU's name"));
  int version = 0;
  TRIODE_TRY(driver.check(driver.cuDriverGetVersion(&version), "asking for the driver's version"));
  size_t memory = 0;
  TRIODE_TRY(driver.check(driver.cuDeviceTotalMem(&memory, device), "asking for a GPU's memory"));
  const int major =
      TRIODE_TRY(attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  const int minor =
      TRIODE_TRY(attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  CudaDeviceIdentity identity;
  identity.ordinal = ordinal;
  identity.uuid = TRIODE_TRY(uuid_of(driver, device));
  identity.memory_bytes = static_cast<int64_t>(memory);
  Target& target = identity.target;
  target.device = name.data();
  target.isa = "sm_" + std::to_string(10 * major + minor);
  target.toolchain = "triode cuda " + std::to_string(kCudaKernelsVersion);
  target.driver =
      "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  target.cores = TRIODE_TRY(attribute(driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  target.l2_bytes = TRIODE_TRY(attribute(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  return identity;
}

Result<int> find_cuda_device(const CudaDriver& driver, const std::string& uuid) {
  const int count = TRIODE_TRY(device_count(driver));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    TRIODE_TRY(driver.check(driver.cuDeviceGet(&device, ordinal), "opening a GPU"));
    if (TRIODE_TRY(uuid_of(driver, device)) == uuid) return ordinal;
  }
  return not_found("no GPU here has the uuid " + uuid + "; " + std::to_string(count) +
                   " were seen");
}

bool is_cuda_isa(const std::string& isa) {
  return isa.starts_with("sm_");
}

int64_t most_shared_bytes(const std::string& isa) {
  return architecture_of(isa).shared_bytes;
}

int64_t most_resident_threads(const std::string& isa) {
  return architecture_of(isa).resident_threads;
}

}  // namespace triode
