// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace triode::host {

// A reference to a library that is loaded already, as the loader counts them: the library stays
// where it is for as long as this lives. Takes the loader's lock.
class LibraryReference {
 public:
  // By the path that the loader knows it by; empty: the program itself.
  explicit LibraryReference(const std::string& path);
  LibraryReference(const LibraryReference&) = delete;
  LibraryReference& operator=(const LibraryReference&) = delete;
  ~LibraryReference();

  // False if there is no such library, or none any more.
  bool is_loaded() const { return handle_ != nullptr; }

  // In the library or those that it depends on; null if none of them defines it.
  void* find(const char* symbol) const;

 private:
  void* handle_;
};

// The C library's dlclose(). The one of our own, which stands in front of it, forgets every call
// site: called for each reference above, it would have every call ask the loader again.
int original_dlclose(void* handle) noexcept;

}  // namespace triode::host
