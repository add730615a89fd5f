// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/self_test_machine.h"

#include <dlfcn.h>

#include "jit/cuda/triton_space.h"
#include "runtime/device/compiled_kernels.h"
#include "runtime/device/cuda_target.h"

namespace triode {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

Result<int> attribute(const CudaDriver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  TRIODE_TRY(driver.check(driver.cuDeviceGetAttribute(&value, which, device),
                          "asking for an attribute of a GPU"));
  return value;
}

// "13.1.0"; empty if the library does not say.
std::string version_of(void* library, const char* function) {
  using GetProperty = int (*)(int which, int* value);
  const auto property = reinterpret_cast<GetProperty>(dlsym(library, function));
  if (property == nullptr) return "";
  std::string version;
  for (const int part : {0, 1, 2}) {  // major, minor, patch
    int value = 0;
    if (property(part, &value) != 0) return "";
    version += (part == 0 ? "" : ".") + std::to_string(value);
  }
  return version;
}

// The newest that is there; stays loaded.
std::string find_library(const std::string& name, const char* version_function) {
  for (const char* const major : {"13", "12", "11"}) {
    const std::string file = "lib" + name + ".so." + major;
    void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    const std::string version = version_of(library, version_function);
    return file + (version.empty() ? "" : " (" + version + ")");
  }
  return "";
}

}  // namespace

Result<std::string> describe_devices(const CudaDriver& driver) {
  int count = 0;
  TRIODE_TRY(driver.check(driver.cuDeviceGetCount(&count), "counting GPUs"));
  std::string text;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const CudaDeviceIdentity found = TRIODE_TRY(describe_cuda_device(driver, ordinal));
    text += (text.empty() ? "" : "; ") + found.target.device + ", " + found.target.isa + ", " +
            std::to_string(found.target.cores) + " multiprocessors, " +
            std::to_string(found.memory_bytes / kMebibyte) + " MiB";
  }
  if (text.empty()) return not_found("no GPU: the driver has none to show");
  return text;
}

Result<std::string> compare_limits(const CudaDriver& driver) {
  const CudaDeviceIdentity found = TRIODE_TRY(describe_cuda_device(driver, 0));
  const cuda::BlockLimits limits = block_limits_of(found.target);
  const struct {
    const char* what;
    int64_t table;
    CUdevice_attribute attribute;
  } compared[] = {
      {"shared bytes of a block", limits.smem_bytes,
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {"threads of a multiprocessor", limits.resident_threads,
       CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
      {"registers of a block", limits.registers, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK}};
  CUdevice device = 0;
  TRIODE_TRY(driver.check(driver.cuDeviceGet(&device, found.ordinal), "opening a GPU"));
  std::string text, wrong;
  for (const auto& each : compared) {
    const int is = TRIODE_TRY(attribute(driver, device, each.attribute));
    const std::string line = std::string(each.what) + ": " + std::to_string(is);
    text += (text.empty() ? "" : ", ") + line;
    if (is != each.table) wrong += line + ", our table has " + std::to_string(each.table) + "; ";
  }
  if (!wrong.empty()) return internal_error(found.target.isa + ": " + wrong);
  return text;
}

Result<std::string> describe_memory(const CudaDriver& driver) {
  size_t free_bytes = 0, total_bytes = 0;
  TRIODE_TRY(
      driver.check(driver.cuMemGetInfo(&free_bytes, &total_bytes), "asking for free memory"));
  return std::to_string(free_bytes / kMebibyte) + " of " + std::to_string(total_bytes / kMebibyte) +
         " MiB free";
}

Result<std::string> find_vendor_libraries() {
  const std::string blas = find_library("cublas", "cublasGetProperty");
  const std::string blas_lt = find_library("cublasLt", "cublasLtGetProperty");
  if (blas.empty() && blas_lt.empty()) {
    return not_found("the loader finds no libcublas; programs that bring one use theirs");
  }
  return (blas.empty() ? "no libcublas" : blas) + ", " +
         (blas_lt.empty() ? "no libcublasLt" : blas_lt);
}

}  // namespace triode
