// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace triode::host {

// A shared object, or the program itself, as it is mapped into this process.
struct LoadedObject {
  std::string path;      // as the loader knows it; empty for the program itself
  std::string build_id;  // hexadecimal; empty if it has none
  const void* base = nullptr;

  // "libopenblas.so.0 3f2c…": file name and build id, what its timings are kept under. No file
  // name in it holds blanks.
  std::string identity() const;
};

// The object that this address lies in; empty for generated code. Takes the loader's lock.
std::optional<LoadedObject> object_at(const void* address);

}  // namespace triode::host
