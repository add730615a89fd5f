// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/shared_memory.h"

#include <algorithm>
#include <string>

#include "tests/virtual_gpu/fault.h"

namespace triode::vgpu {

SharedMemory::SharedMemory(size_t size_bytes)
    : bytes_(size_bytes, std::byte{0xff}), traces_(size_bytes / 2 + 1) {}

void SharedMemory::reset() {
  std::fill(bytes_.begin(), bytes_.end(), std::byte{0xff});
  barrier();
}

std::byte* SharedMemory::at(uint64_t address, size_t size_bytes) {
  if (size_bytes <= bytes_.size() && address <= bytes_.size() - size_bytes) {
    return bytes_.data() + address;
  }
  throw Fault{FaultKind::kIllegalAddress, "shared bytes " + std::to_string(address) + " to " +
                                              std::to_string(address + size_bytes) +
                                              " are not in the " + std::to_string(bytes_.size()) +
                                              " of the block"};
}

std::byte* SharedMemory::touch(uint64_t address, size_t size_bytes, Access access, uint32_t warp) {
  std::byte* bytes = at(address, size_bytes);
  for (uint64_t at = address / 2; at <= (address + size_bytes - 1) / 2; ++at) {
    note(traces_[at], access, static_cast<uint16_t>(warp), 2 * at);
  }
  return bytes;
}

void SharedMemory::note(Trace& trace, Access access, uint16_t warp, uint64_t address) const {
  const bool is_write = access == Access::kWrite;
  const uint32_t met_in = is_write ? trace.read_in : trace.written_in;
  const uint16_t met = is_write ? trace.reader : trace.writer;
  if (met_in == epoch_ && met != warp) {
    throw Fault{FaultKind::kRace, "shared byte " + std::to_string(address) +
                                      " is read by a warp and " +
                                      "written by another with no barrier between"};
  }
  if (is_write) {
    trace.writer = warp;
    trace.written_in = epoch_;
    return;
  }
  trace.reader = trace.read_in == epoch_ && trace.reader != warp ? kSeveral : warp;
  trace.read_in = epoch_;
}

}  // namespace triode::vgpu
