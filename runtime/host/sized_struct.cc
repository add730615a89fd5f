// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/sized_struct.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace triode::host {
namespace {

size_t size_of(const void* structure) {
  size_t size = 0;
  std::memcpy(&size, structure, sizeof size);
  return size;
}

}  // namespace

Status check_size(const void* structure, size_t known_bytes, const char* name) {
  if (structure == nullptr) return invalid_argument(std::string(name) + " is NULL");
  const size_t size = size_of(structure);
  if (size >= known_bytes && size <= kLargestStruct) return {};
  return invalid_argument(std::string(name) + "->size is " + std::to_string(size) +
                          "; set it to the sizeof of the struct, " + std::to_string(known_bytes) +
                          " in this version");
}

Status check_input_struct(const void* structure, size_t known_bytes, const char* name) {
  TRIODE_TRY(check_size(structure, known_bytes, name));
  const auto* const bytes = static_cast<const std::byte*>(structure);
  const auto is_set = [](std::byte byte) { return byte != std::byte{0}; };
  if (!std::any_of(bytes + known_bytes, bytes + size_of(structure), is_set)) return {};
  return unsupported(std::string(name) +
                     " was made for a newer Triode and asks for what this one does not know");
}

void write_output_struct(const void* values, size_t known_bytes, void* structure) {
  const size_t size = size_of(structure);
  std::memcpy(structure, values, known_bytes);
  std::memcpy(structure, &size, sizeof size);
  std::memset(static_cast<std::byte*>(structure) + known_bytes, 0, size - known_bytes);
}

}  // namespace triode::host
