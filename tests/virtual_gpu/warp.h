// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "tests/virtual_gpu/instruction.h"
#include "tests/virtual_gpu/shared_memory.h"

namespace triode::vgpu {

class BlockState;

// Lanes that share a program counter.
struct Split {
  uint32_t at = 0;  // instruction
  uint32_t mask = 0;
  int barrier = -1;       // the one it waits at; -1: none
  uint32_t expected = 0;  // threads that barrier waits for; 0: all
};

// What one lane asked a cp.async to copy.
struct AsyncCopy {
  uint32_t destination;  // in shared memory
  uint16_t size_bytes;
  uint16_t valid_bytes;  // the rest is zeros
  uint64_t source;
};

// 32 threads in step: their registers, where they are, and what they have under way.
class Warp {
 public:
  Warp(BlockState& block, uint32_t index, size_t local_bytes_per_lane);

  uint32_t index() const { return index_; }
  BlockState& block() { return block_; }

  // The lanes of a register, as unsigned integers of its width.
  template <typename T>
  T* lanes(Register r) {
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(registers.data()) + r.offset);
  }
  uint32_t predicate(Register r) { return *lanes<uint32_t>(r) ^ (r.negated ? kAllLanes : 0u); }
  // Replaces the bits of `mask`.
  void set_predicate(Register r, uint32_t value, uint32_t mask);
  uint64_t get(Register r, int lane);
  void put(Register r, int lane, uint64_t value);  // cut to the register's width

  // The bytes behind an address of a lane. Throws Fault if they are misaligned or out of bounds.
  std::byte* touch(StateSpace space, uint64_t address, size_t size_bytes, Access access, int lane);
  // The same for an atomic.
  std::byte* touch_atomically(StateSpace space, uint64_t address, size_t size_bytes, int lane);

  // Throws Fault unless the lanes `members` names have all arrived.
  void require_members(uint32_t members, uint32_t arrived) const;

  // Ends copies: their bytes are in shared memory from now on.
  void land(std::span<const AsyncCopy> copies);

  uint32_t live = 0;                // lanes that have not exited
  std::vector<uint64_t> registers;  // the register file
  std::vector<Split> splits;        // disjoint, together `live`
  std::vector<AsyncCopy> open_group;
  std::deque<std::vector<AsyncCopy>> groups;  // committed, not yet waited for

 private:
  struct Place {
    StateSpace space;
    uint64_t address;
  };
  static Place resolve(StateSpace space, uint64_t address);
  std::byte* touch_global(uint64_t address, size_t size_bytes);

  BlockState& block_;
  uint32_t index_;
  size_t local_bytes_;  // of one lane
  std::vector<std::byte> local_;
};

// Where the shared and local windows lie among generic addresses: far from global memory.
inline constexpr uint64_t kSharedWindow = uint64_t{1} << 44;
inline constexpr uint64_t kLocalWindow = uint64_t{1} << 45;
inline constexpr uint64_t kWindowBytes = uint64_t{1} << 32;

template <typename Body>
void for_each_lane(uint32_t mask, Body&& body) {
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) body(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) body(std::countr_zero(mask));
}

}  // namespace triode::vgpu
