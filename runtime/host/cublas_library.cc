// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/cublas_library.h"

#include <array>
#include <atomic>
#include <memory>

#include "runtime/host/library_reference.h"
#include "runtime/host/vendor.h"
#include "runtime/host/without_memory.h"

namespace triode::host {
namespace {

constexpr unsigned kMostVendors = 256;  // as many as have numbers
constinit std::array<std::atomic<const CublasLibrary*>, kMostVendors> known_libraries{};

const CublasLibrary* look_up(unsigned number) {
  const LibraryReference library(vendor(static_cast<uint16_t>(number)).path);
  auto found = std::make_unique<CublasLibrary>();
  const auto find = [&library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.find(name));
  };
  find(found->get_stream, "cublasGetStream_v2");
  find(found->get_pointer_mode, "cublasGetPointerMode_v2");
  find(found->get_math_mode, "cublasGetMathMode");
  find(found->describe_matmul, "cublasLtMatmulDescGetAttribute");
  find(found->describe_layout, "cublasLtMatrixLayoutGetAttribute");
  const CublasLibrary* none = nullptr;
  // Another thread may have been first: then its own stays.
  if (known_libraries[number].compare_exchange_strong(none, found.get(),
                                                      std::memory_order_acq_rel)) {
    return found.release();
  }
  return none;
}

}  // namespace

const CublasLibrary* cublas_library_of(unsigned vendor_number) noexcept {
  if (vendor_number == kNoVendor || vendor_number >= kMostVendors) return nullptr;
  if (const auto* const known = known_libraries[vendor_number].load(std::memory_order_acquire)) {
    return known;
  }
  return or_without_memory<const CublasLibrary*>([&] { return look_up(vendor_number); }, nullptr);
}

bool read_handle(const CublasLibrary& library, cublasHandle_t handle, CublasState& state) noexcept {
  if (library.get_stream == nullptr || library.get_pointer_mode == nullptr ||
      library.get_math_mode == nullptr || handle == nullptr) {
    return false;
  }
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_DEVICE;
  return library.get_pointer_mode(handle, &pointers) == CUBLAS_STATUS_SUCCESS &&
         pointers == CUBLAS_POINTER_MODE_HOST &&
         library.get_stream(handle, &state.stream) == CUBLAS_STATUS_SUCCESS &&
         library.get_math_mode(handle, &state.math) == CUBLAS_STATUS_SUCCESS;
}

}  // namespace triode::host
