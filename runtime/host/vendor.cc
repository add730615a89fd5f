// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/vendor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/host/library_reference.h"
#include "runtime/host/loaded_object.h"

namespace triode::host {
namespace {

// More libraries than any process links; a library that is closed and opened again counts twice.
constexpr uint16_t kMostVendors = 256;

// Functions that tell how many threads a BLAS uses, by library.
constexpr const char* kThreadCounts[] = {"openblas_get_num_threads",
                                         "scipy_openblas_get_num_threads",
                                         "scipy_openblas_get_num_threads64_",
                                         "openblas_get_num_threads64_",
                                         "MKL_Get_Max_Threads",
                                         "bli_thread_get_num_threads"};

// OpenBLAS's own variable, which its function reads after a look whether it is set.
constexpr const char* kOpenBlasCount = "blas_cpu_number";

struct Registry {
  std::mutex mutex;
  uint16_t count = 1;  // the first is kNoVendor
  std::array<const void*, kMostVendors> bases{};
  std::array<std::atomic<const Vendor*>, kMostVendors> vendors{};

  std::optional<uint16_t> find_locked(const void* base, const std::string& identity) const {
    for (uint16_t number = 1; number < count; ++number) {
      const Vendor* const known = vendors[number].load(std::memory_order_relaxed);
      if (bases[number] == base && known->identity == identity) return number;
    }
    return std::nullopt;
  }

  // kNoVendor if there are too many.
  uint16_t add_locked(const void* base, std::unique_ptr<const Vendor> vendor) {
    if (count == kMostVendors) return kNoVendor;
    bases[count] = base;
    vendors[count].store(vendor.release(), std::memory_order_release);
    return count++;
  }
};

// Never destroyed: calls come until the very end of the process.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

// A function of that very object, not of one that it depends on.
void* own_symbol(const LibraryReference& library, const char* name, const void* base) {
  void* const symbol = library.find(name);
  if (symbol == nullptr) return nullptr;
  const auto object = object_at(symbol);
  return object && object->base == base ? symbol : nullptr;
}

// How many threads the library uses, and where to look.
void find_thread_count(const LibraryReference& library, const void* base, Vendor& vendor) {
  static const volatile int one = 1;
  for (const char* const name : kThreadCounts) {
    void* const symbol = own_symbol(library, name, base);
    if (symbol == nullptr) continue;
    vendor.max_threads = reinterpret_cast<int (*)()>(symbol);
    // Wherever its OpenMP comes from, its own scope finds it.
    vendor.in_parallel = reinterpret_cast<int (*)()>(library.find("omp_in_parallel"));
    if (vendor.in_parallel != nullptr) return;
    vendor.thread_count =
        static_cast<const volatile int*>(own_symbol(library, kOpenBlasCount, base));
    return;
  }
  vendor.thread_count = &one;
}

// No rule covers all: of numpy's wheels a few plain names are left beside those with the suffix,
// OpenBLAS can be asked, and others are told by the names of their files. MKL's libmkl_rt tells
// nobody: of its 64-bit sizes those beyond 32 bits are misread.
bool takes_wide_sizes(const LibraryReference& library, const LoadedObject& object) {
  const auto own = [&](const char* name) { return own_symbol(library, name, object.base); };
  if (own("scipy_cblas_sgemm64_") != nullptr && own("cblas_sgemm") == nullptr) return true;
  if (void* const found = own("openblas_get_config")) {
    const std::string_view config = reinterpret_cast<const char* (*)()>(found)();
    if (config.find("USE64BITINT") != config.npos) return true;
  }
  const std::string file = object.path.substr(object.path.rfind('/') + 1);
  const auto names = {"blas64", "blis64", "ilp64"};
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return file.find(name) != file.npos; });
}

std::unique_ptr<const Vendor> describe(const LoadedObject& object) {
  auto vendor = std::make_unique<Vendor>();
  vendor->identity = object.identity();
  vendor->path = object.path;
  const LibraryReference library(object.path);
  if (!library.is_loaded()) return vendor;
  find_thread_count(library, object.base, *vendor);
  vendor->has_wide_sizes = takes_wide_sizes(library, object);
  return vendor;
}

}  // namespace

uint16_t vendor_of_function(const void* function) {
  const std::optional<LoadedObject> object = object_at(function);
  if (!object) return kNoVendor;
  const std::string identity = object->identity();
  Registry& all = registry();
  {
    const std::lock_guard lock(all.mutex);
    if (const auto known = all.find_locked(object->base, identity)) return *known;
    if (all.count == kMostVendors) return kNoVendor;
  }
  // Not under the lock: the loader takes its own, and a library's constructor may call us under it.
  std::unique_ptr<const Vendor> described = describe(*object);
  const std::lock_guard lock(all.mutex);
  if (const auto known = all.find_locked(object->base, identity)) return *known;
  return all.add_locked(object->base, std::move(described));
}

std::mutex& vendors_mutex() {
  return registry().mutex;
}

const Vendor& vendor(uint16_t number) {
  static const auto* const none = new Vendor;
  const Vendor* const known =
      number < kMostVendors ? registry().vendors[number].load(std::memory_order_acquire) : nullptr;
  return known == nullptr ? *none : *known;
}

}  // namespace triode::host
