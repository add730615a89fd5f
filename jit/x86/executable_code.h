// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/status.h"

namespace triode::x86 {

// Machine code in memory of its own. The pages are written while they are not executable, then made
// executable and never written again. Movable; unmapped on destruction.
class ExecutableCode {
 public:
  // Room for `size_bytes` of code, writable, not executable.
  static Result<ExecutableCode> allocate(size_t size_bytes);

  ExecutableCode(ExecutableCode&& other) noexcept;
  ExecutableCode& operator=(ExecutableCode&& other) noexcept;
  ExecutableCode(const ExecutableCode&) = delete;
  ExecutableCode& operator=(const ExecutableCode&) = delete;
  ~ExecutableCode();

  // To be filled before seal().
  std::span<uint8_t> writable() { return {address_, size_bytes_}; }

  // Takes the right to write away and gives the right to execute.
  Status seal();

  std::span<const uint8_t> bytes() const { return {address_, size_bytes_}; }

 private:
  ExecutableCode(uint8_t* address, size_t size_bytes, size_t mapped_bytes)
      : address_(address), size_bytes_(size_bytes), mapped_bytes_(mapped_bytes) {}

  uint8_t* address_ = nullptr;
  size_t size_bytes_ = 0;
  size_t mapped_bytes_ = 0;
};

}  // namespace triode::x86
