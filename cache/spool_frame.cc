// SPDX-License-Identifier: Apache-2.0
#include "cache/spool_frame.h"

#include <array>
#include <cstdint>
#include <limits>
#include <msgpack.hpp>
#include <optional>

#include "cache/record_codec.h"
#include "core/crc32.h"

namespace triode {
namespace {

constexpr std::string_view kMark = "TRSP";
constexpr size_t kHeadBytes = 12;
constexpr uint32_t kTexts = 7;    // of a trial, before its record
constexpr size_t kMostDepth = 8;  // trials, and their texts, need three

void append_u32(uint32_t value, std::string& out) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xFF);
}

uint32_t read_u32(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

// The payload of a whole and undamaged frame at the beginning of `bytes`.
std::optional<std::string_view> payload_at(std::string_view bytes) {
  if (bytes.size() < kHeadBytes || !bytes.starts_with(kMark)) return std::nullopt;
  const size_t size = read_u32(bytes.substr(4));
  if (bytes.size() - kHeadBytes < size) return std::nullopt;
  const std::string_view payload = bytes.substr(kHeadBytes, size);
  if (crc32(payload) != read_u32(bytes.substr(8))) return std::nullopt;
  return payload;
}

// Throws what msgpack throws.
KeyedTrial read_trial(const msgpack::object& object) {
  const auto parts = object.as<std::vector<std::string>>();
  if (parts.size() != kTexts + 1) throw msgpack::type_error();
  Result<TrialRecord> record = decode_record(parts[kTexts]);
  if (!record.ok()) throw msgpack::type_error();
  return {.key = {.device = parts[0],
                  .problem = parts[1],
                  .config = parts[2],
                  .validity = {.toolchain = parts[3],
                               .driver = parts[4],
                               .generator = parts[5],
                               .source = parts[6]}},
          .record = std::move(record).take()};
}

bool read_trials(std::string_view payload, std::vector<KeyedTrial>& trials) {
  try {
    // Whatever has a size takes as many bytes at least; a greater one must not be allocated.
    const size_t most = payload.size();
    const msgpack::unpack_limit limit(most, most, most, most, most, kMostDepth);
    const msgpack::object_handle handle =
        msgpack::unpack(payload.data(), payload.size(), nullptr, nullptr, limit);
    if (handle->type != msgpack::type::ARRAY) return false;
    const auto& array = handle->via.array;
    for (uint32_t i = 0; i < array.size; ++i) trials.push_back(read_trial(array.ptr[i]));
    return true;
  } catch (const std::exception&) {
    trials.clear();
    return false;
  }
}

}  // namespace

Result<std::string> encode_frame(std::span<const KeyedTrial> trials) {
  msgpack::sbuffer payload;
  msgpack::packer packer(payload);
  packer.pack_array(static_cast<uint32_t>(trials.size()));
  for (const KeyedTrial& trial : trials) {
    const std::string record = TRIODE_TRY(encode_record(trial.record));
    const SampleKey& key = trial.key;
    packer.pack_array(kTexts + 1);
    for (const std::string* text :
         {&key.device, &key.problem, &key.config, &key.validity.toolchain, &key.validity.driver,
          &key.validity.generator, &key.validity.source, &record}) {
      packer.pack(*text);
    }
  }
  if (payload.size() > std::numeric_limits<uint32_t>::max()) {
    return invalid_argument("too many trials for one frame of the spool");
  }
  std::string frame(kMark);
  append_u32(static_cast<uint32_t>(payload.size()), frame);
  append_u32(crc32({payload.data(), payload.size()}), frame);
  frame.append(payload.data(), payload.size());
  return frame;
}

FramePart next_frame(std::string_view bytes) {
  FramePart part;
  if (const std::optional<std::string_view> payload = payload_at(bytes)) {
    part.size_bytes = kHeadBytes + payload->size();
    if (!read_trials(*payload, part.trials)) part.damage = "a frame of the spool has no trials";
    return part;
  }
  size_t next = bytes.find(kMark, 1);
  while (next != std::string_view::npos && !payload_at(bytes.substr(next))) {
    next = bytes.find(kMark, next + 1);
  }
  part.size_bytes = next == std::string_view::npos ? bytes.size() : next;
  part.damage = "bytes of the spool are no whole frame";
  return part;
}

}  // namespace triode
