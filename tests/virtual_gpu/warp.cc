// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/warp.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "tests/virtual_gpu/block_state.h"
#include "tests/virtual_gpu/fault.h"

namespace triode::vgpu {
namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

[[noreturn]] void out_of_bounds(const char* space, uint64_t address, size_t size_bytes) {
  throw Fault{FaultKind::kIllegalAddress, std::to_string(size_bytes) + " bytes at " + space +
                                              " address " + hex(address) + " are out of bounds"};
}

void require_aligned(uint64_t address, size_t size_bytes) {
  if (address % size_bytes == 0) return;
  throw Fault{FaultKind::kMisalignedAddress,
              "address " + hex(address) + " is not aligned to " + std::to_string(size_bytes)};
}

}  // namespace

Warp::Warp(BlockState& block, uint32_t index, size_t local_bytes_per_lane)
    : block_(block),
      index_(index),
      local_bytes_(local_bytes_per_lane),
      local_(local_bytes_per_lane * kLanes, std::byte{0xff}) {}

void Warp::set_predicate(Register r, uint32_t value, uint32_t mask) {
  uint32_t& stored = *lanes<uint32_t>(r);
  stored = (stored & ~mask) | (value & mask);
}

uint64_t Warp::get(Register r, int lane) {
  switch (r.bits) {
    case 16:
      return lanes<uint16_t>(r)[lane];
    case 32:
      return lanes<uint32_t>(r)[lane];
    case 64:
      return lanes<uint64_t>(r)[lane];
    default:
      return predicate(r) >> lane & 1;
  }
}

void Warp::put(Register r, int lane, uint64_t value) {
  switch (r.bits) {
    case 16:
      lanes<uint16_t>(r)[lane] = static_cast<uint16_t>(value);
      return;
    case 32:
      lanes<uint32_t>(r)[lane] = static_cast<uint32_t>(value);
      return;
    case 64:
      lanes<uint64_t>(r)[lane] = value;
      return;
    default:
      set_predicate(r, (value & 1) != 0 ? kAllLanes : 0u, 1u << lane);
  }
}

Warp::Place Warp::resolve(StateSpace space, uint64_t address) {
  if (space != StateSpace::kGeneric) return {space, address};
  if (address - kSharedWindow < kWindowBytes) return {StateSpace::kShared, address - kSharedWindow};
  if (address - kLocalWindow < kWindowBytes) return {StateSpace::kLocal, address - kLocalWindow};
  return {StateSpace::kGlobal, address};
}

std::byte* Warp::touch(StateSpace space, uint64_t address, size_t size_bytes, Access access,
                       int lane) {
  require_aligned(address, size_bytes);
  const Place place = resolve(space, address);
  const uint64_t at = place.address;
  switch (place.space) {
    case StateSpace::kShared:
      return block_.shared.touch(at, size_bytes, access, index_);
    case StateSpace::kLocal:
      if (at > local_bytes_ || size_bytes > local_bytes_ - at)
        out_of_bounds("local", at, size_bytes);
      return local_.data() + static_cast<size_t>(lane) * local_bytes_ + at;
    case StateSpace::kParam:
      if (at > block_.parameters.size() || size_bytes > block_.parameters.size() - at) {
        out_of_bounds("parameter", at, size_bytes);
      }
      if (access == Access::kWrite) out_of_bounds("read-only parameter", at, size_bytes);
      return block_.parameters.data() + at;
    default:
      return touch_global(at, size_bytes);
  }
}

std::byte* Warp::touch_atomically(StateSpace space, uint64_t address, size_t size_bytes, int lane) {
  const Place place = resolve(space, address);
  if (place.space != StateSpace::kShared) {
    return touch(space, address, size_bytes, Access::kWrite, lane);
  }
  require_aligned(address, size_bytes);
  return block_.shared.at(place.address, size_bytes);
}

std::byte* Warp::touch_global(uint64_t address, size_t size_bytes) {
  const DeviceMemory::Allocation*& last = block_.last_allocation;
  if (last == nullptr || address - last->address >= last->size_bytes) {
    last = block_.memory.find(address);
  }
  if (last == nullptr || size_bytes > last->size_bytes - (address - last->address)) {
    out_of_bounds("global", address, size_bytes);
  }
  return last->bytes.get() + (address - last->address);
}

void Warp::require_members(uint32_t members, uint32_t arrived) const {
  if ((members & live & ~arrived) == 0) return;
  throw Fault{FaultKind::kBadInstruction,
              "some lanes that this operation of a warp names have not arrived"};
}

void Warp::land(std::span<const AsyncCopy> copies) {
  for (const AsyncCopy& copy : copies) {
    std::byte* destination =
        block_.shared.touch(copy.destination, copy.size_bytes, Access::kWrite, index_);
    if (copy.valid_bytes > 0) {
      std::memcpy(destination, touch_global(copy.source, copy.valid_bytes), copy.valid_bytes);
    }
    std::memset(destination + copy.valid_bytes, 0, copy.size_bytes - copy.valid_bytes);
  }
}

}  // namespace triode::vgpu
