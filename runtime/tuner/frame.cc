// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/frame.h"

namespace triode::tuner {
namespace {

constexpr std::string_view kMagic = "TRIO";

void append_number(std::string& bytes, uint32_t number, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
}

uint32_t number_at(std::string_view bytes, size_t position, size_t count) {
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) {
    number |= uint32_t{static_cast<unsigned char>(bytes[position + i])} << (8 * i);
  }
  return number;
}

}  // namespace

std::string to_bytes(const Frame& frame) {
  std::string bytes(kMagic);
  append_number(bytes, frame.version, 2);
  append_number(bytes, frame.type, 2);
  append_number(bytes, static_cast<uint32_t>(frame.payload.size()), 4);
  return bytes + frame.payload;
}

Result<std::optional<Frame>> FrameReader::next() {
  const std::string_view magic = std::string_view(bytes_).substr(0, kMagic.size());
  if (magic != kMagic.substr(0, magic.size())) {
    return corrupt("what came is no message of Triode's");
  }
  if (bytes_.size() < kFrameHeaderBytes) return std::optional<Frame>();
  const size_t length = number_at(bytes_, 8, 4);
  if (length > most_payload_bytes_) {
    return corrupt("a message of " + std::to_string(length) + " bytes came; at most " +
                   std::to_string(most_payload_bytes_) + " are taken");
  }
  if (bytes_.size() < kFrameHeaderBytes + length) return std::optional<Frame>();
  Frame frame;
  frame.version = static_cast<uint16_t>(number_at(bytes_, 4, 2));
  frame.type = static_cast<uint16_t>(number_at(bytes_, 6, 2));
  frame.payload = bytes_.substr(kFrameHeaderBytes, length);
  bytes_.erase(0, kFrameHeaderBytes + length);
  return std::optional<Frame>(std::move(frame));
}

}  // namespace triode::tuner
