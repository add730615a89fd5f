// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/gpu_places.h"

#include <array>
#include <atomic>
#include <mutex>

#include "runtime/host/without_memory.h"

namespace triode::host {
namespace {

// More GPUs than a machine has, with some resets.
constexpr int kMostPlaces = 64;

struct Places {
  std::mutex mutex;
  std::atomic<int> count{0};
  std::array<std::atomic<const GpuPlace*>, kMostPlaces> places{};
  std::atomic<const CudaDriver*> driver{nullptr};
  std::shared_ptr<const CudaDriver> kept_driver;  // under the mutex
};

// Never destroyed: calls come until the very end of the process.
Places& all_places() {
  static auto* const instance = new Places;
  return *instance;
}

// The driver that the program has loaded; whoever calls cuBLAS with success has one.
const CudaDriver* loaded_driver(Places& all) {
  if (const CudaDriver* const known = all.driver.load(std::memory_order_acquire)) return known;
  std::shared_ptr<const CudaDriver> found = CudaDriver::find_loaded();
  const std::lock_guard lock(all.mutex);
  if (all.kept_driver == nullptr) all.kept_driver = std::move(found);
  all.driver.store(all.kept_driver.get(), std::memory_order_release);
  return all.kept_driver.get();
}

// Drivers before CUDA 12 have no number for a context: its address has to do.
unsigned long long id_of(const CudaDriver& driver, CUcontext context) {
  unsigned long long id = 0;
  const bool has_id =
      driver.cuCtxGetId != nullptr && driver.cuCtxGetId(context, &id) == CUDA_SUCCESS;
  return has_id ? id : reinterpret_cast<unsigned long long>(context);
}

const GpuPlace* find_place(const Places& all, CUcontext context, unsigned long long id) {
  const int count = all.count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    const GpuPlace* const place =
        all.places[static_cast<size_t>(i)].load(std::memory_order_relaxed);
    if (place->context == context && place->context_id == id) return place;
  }
  return nullptr;
}

bool is_primary(const CudaDriver& driver, CUdevice device, CUcontext context) {
  unsigned flags = 0;
  int is_active = 0;
  if (driver.cuDevicePrimaryCtxGetState(device, &flags, &is_active) != CUDA_SUCCESS) return false;
  CUcontext primary = nullptr;
  if (is_active == 0 || driver.cuDevicePrimaryCtxRetain(&primary, device) != CUDA_SUCCESS) {
    return false;
  }
  static_cast<void>(driver.cuDevicePrimaryCtxRelease(device));  // the program holds it as well
  return primary == context;
}

const GpuPlace* add_place(Places& all, CUcontext context, unsigned long long id) {
  const std::lock_guard lock(all.mutex);
  if (const GpuPlace* const known = find_place(all, context, id)) return known;
  const int count = all.count.load(std::memory_order_relaxed);
  const CudaDriver& driver = *all.kept_driver;
  CUdevice device = 0;
  if (count == kMostPlaces || driver.cuCtxGetDevice(&device) != CUDA_SUCCESS ||
      !is_primary(driver, device, context)) {
    return nullptr;
  }
  auto described = describe_cuda_device(driver, device);
  if (!described.ok()) return nullptr;
  const auto* const place =
      new GpuPlace{count + 1, context, id, all.kept_driver, std::move(described).take()};
  all.places[static_cast<size_t>(count)].store(place, std::memory_order_release);
  all.count.store(count + 1, std::memory_order_release);
  return place;
}

}  // namespace

const GpuPlace* current_gpu_place() noexcept {
  const auto find = []() -> const GpuPlace* {
    Places& all = all_places();
    const CudaDriver* const driver = loaded_driver(all);
    CUcontext context = nullptr;
    if (driver == nullptr || driver->cuCtxGetCurrent(&context) != CUDA_SUCCESS ||
        context == nullptr) {
      return nullptr;
    }
    const unsigned long long id = id_of(*driver, context);
    const GpuPlace* const known = find_place(all, context, id);
    return known != nullptr ? known : add_place(all, context, id);
  };
  return or_without_memory<const GpuPlace*>(find, nullptr);
}

const GpuPlace* gpu_place(int number) noexcept {
  const Places& all = all_places();
  if (number < 1 || number > all.count.load(std::memory_order_acquire)) return nullptr;
  return all.places[static_cast<size_t>(number - 1)].load(std::memory_order_acquire);
}

}  // namespace triode::host
