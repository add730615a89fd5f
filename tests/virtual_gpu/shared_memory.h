// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace triode::vgpu {

enum class Access : uint8_t { kRead, kWrite };

// The shared memory of one block, with a watch for races: when two warps touch the same two bytes
// between two barriers, and one reads what the other writes, the order is luck. Writes of two warps
// to the same place are let pass: compilers write copies of one value.
class SharedMemory {
 public:
  explicit SharedMemory(size_t size_bytes);

  // As a block finds it: 0xff everywhere, a NaN in every float format, so that reading what was
  // never written shows.
  void reset();

  size_t size_bytes() const { return bytes_.size(); }
  // The bytes, for `warp` to read or write. Throws Fault if they are out of bounds, or race.
  std::byte* touch(uint64_t address, size_t size_bytes, Access access, uint32_t warp);
  // The same without looking for races: for atomics, which are allowed to meet.
  std::byte* at(uint64_t address, size_t size_bytes);

  // A barrier: what went before is seen by all.
  void barrier() { ++epoch_; }

 private:
  // Who last touched two bytes, and in which epoch (the count of barriers).
  struct Trace {
    uint32_t written_in = 0;
    uint32_t read_in = 0;
    uint16_t writer = 0;
    uint16_t reader = 0;  // kSeveral: more than one warp
  };
  static constexpr uint16_t kSeveral = 0xffff;

  void note(Trace& trace, Access access, uint16_t warp, uint64_t address) const;

  std::vector<std::byte> bytes_;
  std::vector<Trace> traces_;  // one for two bytes
  uint32_t epoch_ = 1;
};

}  // namespace triode::vgpu
