// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/device_memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace triode::vgpu {
namespace {

constexpr uint64_t kAlignment = 256;

}  // namespace

uint64_t DeviceMemory::allocate(size_t size_bytes) {
  Allocation allocation{next_address_, size_bytes, std::make_unique<std::byte[]>(size_bytes)};
  std::memset(allocation.bytes.get(), 0xff, size_bytes);
  // The next one begins at least one alignment after the end of this one.
  next_address_ += (size_bytes / kAlignment + 2) * kAlignment;
  used_bytes_ += size_bytes;
  allocations_.push_back(std::move(allocation));
  return allocations_.back().address;
}

bool DeviceMemory::release(uint64_t address) {
  const auto found = std::find_if(allocations_.begin(), allocations_.end(),
                                  [&](const Allocation& each) { return each.address == address; });
  if (found == allocations_.end()) return false;
  used_bytes_ -= found->size_bytes;
  allocations_.erase(found);
  return true;
}

const DeviceMemory::Allocation* DeviceMemory::find(uint64_t address) const {
  const auto after =
      std::upper_bound(allocations_.begin(), allocations_.end(), address,
                       [](uint64_t value, const Allocation& each) { return value < each.address; });
  if (after == allocations_.begin()) return nullptr;
  const Allocation& before = *std::prev(after);
  return address - before.address < before.size_bytes ? &before : nullptr;
}

std::byte* DeviceMemory::at(uint64_t address, size_t size_bytes) const {
  const Allocation* allocation = find(address);
  if (allocation == nullptr) return nullptr;
  const uint64_t offset = address - allocation->address;
  return size_bytes <= allocation->size_bytes - offset ? allocation->bytes.get() + offset : nullptr;
}

}  // namespace triode::vgpu
