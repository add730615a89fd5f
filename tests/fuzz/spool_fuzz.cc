// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cache/spool_frame.h"
#include "core/crc32.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

// Goes over all of it, and can write again what it takes.
void walk(std::string_view bytes) {
  while (!bytes.empty()) {
    const triode::FramePart part = triode::next_frame(bytes);
    if (part.size_bytes == 0 || part.size_bytes > bytes.size()) std::abort();
    if (!part.damage.empty() && !part.trials.empty()) std::abort();
    if (!triode::encode_frame(part.trials).ok()) std::abort();
    bytes.remove_prefix(part.size_bytes);
  }
}

void append_u32(size_t value, std::string& out) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xFF);
}

}  // namespace

// As it is, and with a checksum made right, which few inputs have by chance.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMarkBytes = 4, kHeadBytes = 12;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  walk(bytes);
  if (size < kHeadBytes) return 0;
  const std::string_view payload = bytes.substr(kHeadBytes);
  std::string frame = triode::encode_frame({}).take().substr(0, kMarkBytes);
  append_u32(payload.size(), frame);
  append_u32(triode::crc32(payload), frame);
  walk(frame.append(payload));
  return 0;
}
