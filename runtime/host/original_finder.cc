// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/original_finder.h"

#include <dlfcn.h>

#include <string>
#include <vector>

#include "runtime/host/library_reference.h"
#include "runtime/host/loaded_object.h"
#include "runtime/host/visit_objects.h"

namespace triode::host {
namespace {

// Libraries that define the symbols under plain names. Whatever has another name is found by the
// scan of all loaded objects.
constexpr const char* kKnownLibraries[] = {
    "libblas.so.3",      "libcblas.so.3",    "libopenblas.so.0", "libopenblas64_.so.0",
    "libmkl_rt.so.2",    "libmkl_rt.so.3",   "libblis.so.4",     "libblis.so",
    "libtorch_cpu.so",   "libatlas.so.3",    "libcublas.so.13",  "libcublas.so.12",
    "libcublasLt.so.13", "libcublasLt.so.12"};

// Start of the object that holds the address; null if none does. No allocation.
const void* base_of(const void* address) {
  Dl_info found{};
  return dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

// Whether the address belongs to this library: what the loader found is then not an original.
bool is_ours(const void* address) {
  return base_of(address) == base_of(reinterpret_cast<const void*>(&find_original));
}

void* unless_ours(void* function) {
  return function == nullptr || is_ours(function) ? nullptr : function;
}

// What `symbol` means to an object that is loaded already and to those it depends on. Whoever
// loaded it keeps it there.
void* find_in(const std::string& path, const char* symbol) {
  return unless_ours(LibraryReference(path).find(symbol));
}

std::vector<std::string> loaded_paths() {
  std::vector<std::string> paths;
  visit_loaded_objects([&](const dl_phdr_info& object) {
    paths.emplace_back(object.dlpi_name);
    return false;
  });
  return paths;
}

}  // namespace

void* find_global_original(Symbol symbol) {
  const char* const name = traits_of(symbol).name.data();
  // Ahead of us stands nobody under LD_PRELOAD; a program that links us may have its BLAS there.
  if (void* const ahead = unless_ours(dlsym(RTLD_DEFAULT, name))) return ahead;
  return unless_ours(dlsym(RTLD_NEXT, name));
}

void* find_original(Symbol symbol, const void* caller) {
  const char* const name = traits_of(symbol).name.data();
  if (void* const next = find_global_original(symbol)) return next;
  if (const auto object = object_at(caller); object && !object->path.empty()) {
    if (void* const own = find_in(object->path, name)) return own;
  }
  for (const char* const library : kKnownLibraries) {
    if (void* const known = find_in(library, name)) return known;
  }
  for (const std::string& path : loaded_paths()) {
    if (path.empty()) continue;
    if (void* const any = find_in(path, name)) return any;
  }
  return nullptr;
}

}  // namespace triode::host
