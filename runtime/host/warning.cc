// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/warning.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/key.h"
#include "runtime/host/write_signal_block.h"

namespace triode::host {
namespace {

constinit std::array<std::atomic<uint64_t>, 8> warned{};  // hashes of texts, 0: free

// True the first time for each text, until all places are taken.
bool is_first(std::string_view text) {
  const uint64_t hash = hash_bytes(text) | 1;
  for (auto& place : warned) {
    uint64_t there = 0;
    if (place.compare_exchange_strong(there, hash)) return true;
    if (there == hash) return false;
  }
  return false;
}

iovec part(std::string_view text) {
  return {const_cast<char*>(text.data()), text.size()};  // only read
}

}  // namespace

void warn_once(std::string_view text) noexcept {
  if (!is_first(text)) return;
  // One call, so that lines of several processes do not mix, and no memory, which may be what the
  // warning is about. Nobody to tell if stderr cannot be written.
  const WriteSignalBlock block;
  const std::array<iovec, 3> line = {part("triode: "), part(text), part("\n")};
  [[maybe_unused]] const auto ignored = writev(STDERR_FILENO, line.data(), line.size());
}

}  // namespace triode::host
