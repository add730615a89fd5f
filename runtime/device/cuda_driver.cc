// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda_driver.h"

#include <dlfcn.h>

#include <string_view>

namespace triode {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

// By the name that cuda.h gives it, or, in an older driver, without the version.
void* find_function(void* library, std::string_view name) {
  const std::string exact(name);
  if (void* const found = dlsym(library, exact.c_str())) return found;
  const size_t version = exact.rfind("_v");
  if (version == std::string::npos) return nullptr;
  return dlsym(library, exact.substr(0, version).c_str());
}

std::string path_of(const void* function) {
  Dl_info about{};
  return dladdr(function, &about) != 0 && about.dli_fname != nullptr ? about.dli_fname : "";
}

}  // namespace

// The name after cuda.h's macros: cuMemAlloc is "cuMemAlloc_v2".
#define TRIODE_QUOTE(name) #name
#define TRIODE_FUNCTION_NAME(name) TRIODE_QUOTE(name)

Result<std::shared_ptr<const CudaDriver>> CudaDriver::from(void* library) {
  auto driver = std::make_shared<CudaDriver>();
#define X(name)                                                                               \
  driver->name = reinterpret_cast<decltype(driver->name)>(                                    \
      find_function(library, TRIODE_FUNCTION_NAME(name)));                                    \
  if (driver->name == nullptr) {                                                              \
    return unsupported(std::string("the GPU's driver has no ") + TRIODE_FUNCTION_NAME(name) + \
                       "; it is older than CUDA 11.4: install a newer one");                  \
  }
  TRIODE_CUDA_FUNCTIONS
#undef X
  driver->cuCtxGetId =
      reinterpret_cast<decltype(driver->cuCtxGetId)>(find_function(library, "cuCtxGetId"));
  driver->path_ = path_of(reinterpret_cast<const void*>(driver->cuInit));
  return std::shared_ptr<const CudaDriver>(std::move(driver));
}

Result<std::shared_ptr<const CudaDriver>> CudaDriver::load(const std::string& path) {
  const std::string name = path.empty() ? kLibrary : path;
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return not_found("no GPU can be used: the driver " + name + " cannot be loaded (" +
                     std::string(dlerror()) + "); install NVIDIA's driver where there is a GPU");
  }
  std::shared_ptr<const CudaDriver> driver = TRIODE_TRY(from(library));
  const CUresult initialised = driver->cuInit(0);
  if (initialised == CUDA_ERROR_NO_DEVICE) {
    return unavailable("no GPU: the driver " + driver->path() + " finds none on this machine");
  }
  TRIODE_TRY(driver->check(initialised, "cuInit"));
  return driver;
}

std::shared_ptr<const CudaDriver> CudaDriver::find_loaded() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  auto driver = from(library);
  return driver.ok() ? std::move(driver).take() : nullptr;
}

Status CudaDriver::check(CUresult result, const char* attempted) const {
  if (result == CUDA_SUCCESS) return {};
  const char* name = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
  const std::string message =
      std::string(attempted) + " failed: " + name + " (" + std::to_string(result) + ")";
  return result == CUDA_ERROR_OUT_OF_MEMORY ? resource_exhausted(message) : unavailable(message);
}

}  // namespace triode
