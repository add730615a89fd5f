// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace triode {

// Which end of a block of memory lies against a page that cannot be touched.
enum class Guard : uint8_t { kAfterEnd, kBeforeStart };

std::string to_string(Guard guard);

// Memory whose last byte is the last one before an inaccessible page, or whose first byte is the
// first one after such a page. A read or write across that end faults (see fault_trap.h). The rest
// of the pages it lies in is slack, filled with a pattern; a write there is found by
// slack_is_intact(), a read is not.
class GuardedMemory {
 public:
  // `offset_bytes` moves the block away from its guard, to try other alignments.
  // Aborts if the system has no memory.
  GuardedMemory(size_t size_bytes, Guard guard, size_t offset_bytes = 0);

  std::byte* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

  // Lets writes into the block and its slack fault too, until allow_writes().
  void forbid_writes();
  void allow_writes();

  bool slack_is_intact() const;

  // Whether the address is in the block, its slack or its guard pages.
  bool is_near(uintptr_t address) const;
  // "12 bytes past the end", "1 byte before the start" or "at byte 40"; for an address that
  // is_near().
  std::string locate(uintptr_t address) const;

 private:
  struct Unmap {
    size_t size_bytes;  // with both guard pages
    void operator()(std::byte* mapping) const;
  };

  std::byte* writable_begin() const;
  std::byte* writable_end() const;

  std::unique_ptr<std::byte, Unmap> mapping_;
  std::byte* data_;
  size_t size_bytes_;
};

}  // namespace triode
