// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/library_reference.h"

#include <dlfcn.h>

#include <atomic>

namespace triode::host {

LibraryReference::LibraryReference(const std::string& path)
    : handle_(dlopen(path.empty() ? nullptr : path.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {}

LibraryReference::~LibraryReference() {
  if (handle_ != nullptr) original_dlclose(handle_);
}

void* LibraryReference::find(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

int original_dlclose(void* handle) noexcept {
  // Two threads may both look: a static that is initialised once would have one wait for the other,
  // which may be waiting for the loader's lock, which the first may hold.
  static constinit std::atomic<int (*)(void*)> found{nullptr};
  auto* original = found.load(std::memory_order_acquire);
  if (original == nullptr) {
    original = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"));
    found.store(original, std::memory_order_release);
  }
  return original == nullptr ? -1 : original(handle);
}

}  // namespace triode::host
