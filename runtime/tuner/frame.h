// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode::tuner {

// Changes with every change of a message or of the header. A client and a tuner of different
// versions refuse each other; only the header and Refusal stay as they are for good.
constexpr uint16_t kProtocolVersion = 5;

// One message as it travels: "TRIO", version (2 bytes), type (2), length of the payload (4),
// payload; numbers little-endian.
struct Frame {
  uint16_t version = kProtocolVersion;
  uint16_t type = 0;
  std::string payload;

  bool operator==(const Frame&) const = default;
};

constexpr size_t kFrameHeaderBytes = 12;

// What one side may send in one message. Requests are short; all plans of a target are not.
constexpr size_t kMostRequestBytes = 256 << 10;
constexpr size_t kMostAnswerBytes = 32 << 20;

std::string to_bytes(const Frame& frame);

// Cuts a stream of bytes into frames. Holds at most one frame and what was fed at once. Not
// thread-safe.
class FrameReader {
 public:
  explicit FrameReader(size_t most_payload_bytes) : most_payload_bytes_(most_payload_bytes) {}

  void feed(std::string_view bytes) { bytes_.append(bytes); }

  // The next frame; empty if it has not come whole. kCorrupt for bytes that are none of ours and
  // for a payload that is too long: nothing after it can be read, so the error stays.
  Result<std::optional<Frame>> next();

 private:
  const size_t most_payload_bytes_;
  std::string bytes_;
};

}  // namespace triode::tuner
