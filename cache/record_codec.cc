// SPDX-License-Identifier: Apache-2.0
#include "cache/record_codec.h"

#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <msgpack.hpp>
#include <utility>

namespace triode {
namespace {

// Of the value alone; the store has a schema version of its own. A value of another version is
// unreadable, and comes only with a newer schema.
constexpr uint32_t kVersion = 1;

// A record has some ten fields and one short text. Bytes that claim more are not ours, and must not
// make the reader allocate what they claim.
constexpr size_t kMostElements = 256;
constexpr size_t kMostDepth = 8;

using Fields = std::map<std::string_view, msgpack::object>;

uint32_t checksum(std::string_view payload) {
  const auto* bytes = reinterpret_cast<const Bytef*>(payload.data());
  return static_cast<uint32_t>(crc32_z(0, bytes, payload.size()));
}

bool is_time(double value) {
  return std::isfinite(value) && value >= 0;
}

// A spread may be infinite: core/measurement.cc says so of a clock too coarse.
bool is_sound(const TrialRecord& record) {
  const Measurement& m = record.measurement;
  return is_time(m.median_ns) && is_time(m.min_ns) && m.spread >= 0 && m.count >= 0;
}

msgpack::object_handle unpack(std::string_view bytes) {
  const size_t most_bytes = bytes.size();
  const msgpack::unpack_limit limit(kMostElements, kMostElements, most_bytes, most_bytes,
                                    most_bytes, kMostDepth);
  size_t offset = 0;
  msgpack::object_handle handle =
      msgpack::unpack(bytes.data(), bytes.size(), offset, nullptr, nullptr, limit);
  if (offset != bytes.size()) throw msgpack::type_error();
  return handle;
}

std::string pack_payload(const TrialRecord& record) {
  msgpack::sbuffer buffer;
  msgpack::packer packer(buffer);
  const bool has_reason = !record.outcome.reason.empty();
  const auto field = [&packer](std::string_view name, const auto& value) {
    packer.pack(name);
    packer.pack(value);
  };
  packer.pack_map(has_reason ? 7 : 6);
  field("outcome", to_string(record.outcome.kind));
  if (has_reason) field("reason", record.outcome.reason);
  field("median_ns", record.measurement.median_ns);
  field("min_ns", record.measurement.min_ns);
  field("spread", record.measurement.spread);
  field("count", record.measurement.count);
  field("when", record.when_unix_s);
  return {buffer.data(), buffer.size()};
}

// The payload of an undamaged value. Throws what msgpack throws.
std::string_view open_envelope(const msgpack::object& envelope) {
  if (envelope.type != msgpack::type::ARRAY || envelope.via.array.size != 3) {
    throw msgpack::type_error();
  }
  const msgpack::object* parts = envelope.via.array.ptr;
  if (parts[0].as<uint32_t>() != kVersion || parts[2].type != msgpack::type::BIN) {
    throw msgpack::type_error();
  }
  const std::string_view payload(parts[2].via.bin.ptr, parts[2].via.bin.size);
  if (parts[1].as<uint32_t>() != checksum(payload)) throw msgpack::type_error();
  return payload;
}

Result<TrialRecord> read_fields(const Fields& fields) {
  TrialRecord record;
  record.outcome.kind = TRIODE_TRY(parse_outcome_kind(fields.at("outcome").as<std::string_view>()));
  if (const auto reason = fields.find("reason"); reason != fields.end()) {
    record.outcome.reason = reason->second.as<std::string>();
  }
  record.measurement.median_ns = fields.at("median_ns").as<double>();
  record.measurement.min_ns = fields.at("min_ns").as<double>();
  record.measurement.spread = fields.at("spread").as<double>();
  record.measurement.count = fields.at("count").as<int32_t>();
  record.when_unix_s = fields.at("when").as<int64_t>();
  return record;
}

}  // namespace

Result<std::string> encode_record(const TrialRecord& record) {
  if (!is_sound(record)) {
    return invalid_argument("cannot store a trial whose times are negative or not finite");
  }
  const std::string payload = pack_payload(record);
  msgpack::sbuffer buffer;
  msgpack::packer packer(buffer);
  packer.pack_array(3);
  packer.pack(kVersion);
  packer.pack(checksum(payload));
  packer.pack_bin(static_cast<uint32_t>(payload.size()));
  packer.pack_bin_body(payload.data(), static_cast<uint32_t>(payload.size()));
  return std::string(buffer.data(), buffer.size());
}

Result<TrialRecord> decode_record(std::string_view bytes) {
  try {
    const msgpack::object_handle envelope = unpack(bytes);
    const msgpack::object_handle payload = unpack(open_envelope(envelope.get()));
    Result<TrialRecord> record = read_fields(payload->as<Fields>());
    if (record.ok() && is_sound(*record)) return record;
  } catch (const std::exception&) {
    // Whatever msgpack or the map found wrong, the record is of no use; which byte says nothing.
  }
  return corrupt("a stored record of " + std::to_string(bytes.size()) + " bytes is damaged");
}

}  // namespace triode
