// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace triode::vgpu {

// The global memory of the virtual GPU. Its addresses are not the host's: following one in the host
// crashes, as with a real device. No two allocations touch, so that reading past one is found.
// Not thread-safe.
class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t first_address = 0x7a0000000000) : next_address_(first_address) {}

  struct Allocation {
    uint64_t address;
    size_t size_bytes;
    std::unique_ptr<std::byte[]> bytes;  // filled with 0xff: a NaN in every float format
  };

  // Aligned to 256 bytes. Allocations of no bytes have an address of their own too.
  uint64_t allocate(size_t size_bytes);
  // False if no allocation begins at `address`.
  bool release(uint64_t address);

  // The allocation that holds the address, or null.
  const Allocation* find(uint64_t address) const;
  // The bytes in the host; null if they are not all in one allocation.
  std::byte* at(uint64_t address, size_t size_bytes) const;

  size_t used_bytes() const { return used_bytes_; }

 private:
  std::vector<Allocation> allocations_;  // by rising address
  uint64_t next_address_;
  size_t used_bytes_ = 0;
};

}  // namespace triode::vgpu
