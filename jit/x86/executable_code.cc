// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/executable_code.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace triode::x86 {

Result<ExecutableCode> ExecutableCode::allocate(size_t size_bytes) {
  if (size_bytes == 0) return invalid_argument("no room asked for: code has at least one byte");
  static const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t mapped = (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
  void* address = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) {
    return resource_exhausted("cannot map " + std::to_string(mapped) +
                              " bytes for code: " + std::strerror(errno));
  }
  return ExecutableCode(static_cast<uint8_t*>(address), size_bytes, mapped);
}

ExecutableCode::ExecutableCode(ExecutableCode&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

ExecutableCode& ExecutableCode::operator=(ExecutableCode&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

ExecutableCode::~ExecutableCode() {
  if (address_ != nullptr) munmap(address_, mapped_bytes_);
}

Status ExecutableCode::seal() {
  if (mprotect(address_, mapped_bytes_, PROT_READ | PROT_EXEC) != 0) {
    return unsupported(std::string("this system does not let code be made executable: ") +
                       std::strerror(errno));
  }
  return {};
}

}  // namespace triode::x86
