// SPDX-License-Identifier: Apache-2.0
#include "cache/field_map.h"

#include <bitset>
#include <cmath>
#include <limits>
#include <msgpack.hpp>
#include <utility>

#include "core/crc32.h"

namespace triode {
namespace {

// Of the value alone; the cache has a schema version of its own. A value of another version is
// unreadable, and comes only with a newer schema.
constexpr uint32_t kVersion = 1;

// A value has some twenty fields. Bytes that claim more are not ours, and must not make the reader
// allocate what they claim. Extra fields of an import are a map of their own.
constexpr size_t kMostElements = 1024;
constexpr size_t kMostFields = 64;
constexpr size_t kMostDepth = 16;

// More than a measurement of ours has, so that its text is allocated once.
constexpr size_t kUsualBytes = 256;

Status damaged(std::string_view why) {
  return corrupt("a stored value is damaged: " + std::string(why));
}

msgpack::object_handle unpack(std::string_view bytes) {
  const size_t most_bytes = bytes.size();
  const msgpack::unpack_limit limit(kMostElements, kMostElements, most_bytes, most_bytes,
                                    most_bytes, kMostDepth);
  size_t offset = 0;
  // Texts stay where they are, in `bytes`.
  msgpack::object_handle handle = msgpack::unpack(
      bytes.data(), bytes.size(), offset,
      [](msgpack::type::object_type, std::size_t, void*) { return true; }, nullptr, limit);
  if (offset != bytes.size()) throw msgpack::type_error();
  return handle;
}

// The payload of an undamaged value. Throws what msgpack throws.
Result<std::string_view> open_envelope(std::string_view bytes) {
  const msgpack::object_handle handle = unpack(bytes);
  const msgpack::object& envelope = handle.get();
  if (envelope.type != msgpack::type::ARRAY || envelope.via.array.size != 3) {
    return damaged("it is no array of three");
  }
  const msgpack::object* parts = envelope.via.array.ptr;
  if (parts[0].as<uint32_t>() != kVersion) return damaged("it has another version");
  if (parts[2].type != msgpack::type::BIN) return damaged("it has no payload");
  const std::string_view payload(parts[2].via.bin.ptr, parts[2].via.bin.size);
  if (parts[1].as<uint32_t>() != crc32(payload)) return damaged("its checksum is wrong");
  return payload;
}

bool is_whole(double value) {
  constexpr double kMost = 1u << 31;
  return value >= 0 && value < kMost && value == std::floor(value) && !std::signbit(value);
}

}  // namespace

// Where packers write to.
struct FieldWriter::Sink {
  void write(const char* bytes, size_t count) { text.append(bytes, count); }
  std::string text;
};

FieldWriter::FieldWriter() : fields_(std::make_unique<Sink>()) {
  fields_->text.reserve(kUsualBytes);
}
FieldWriter::~FieldWriter() = default;

void FieldWriter::add(std::string_view name, std::string_view value) {
  msgpack::packer(*fields_).pack(name).pack(value);
  ++count_;
}

void FieldWriter::add(std::string_view name, int64_t value) {
  msgpack::packer(*fields_).pack(name).pack(value);
  ++count_;
}

void FieldWriter::add(std::string_view name, uint64_t value) {
  msgpack::packer(*fields_).pack(name).pack(value);
  ++count_;
}

void FieldWriter::add(std::string_view name, bool value) {
  msgpack::packer(*fields_).pack(name).pack(value);
  ++count_;
}

void FieldWriter::add(std::string_view name, double value) {
  msgpack::packer packer(*fields_);
  packer.pack(name);
  if (is_whole(value)) {
    packer.pack(static_cast<uint32_t>(value));
  } else if (std::abs(value) <= std::numeric_limits<float>::max() &&
             static_cast<double>(static_cast<float>(value)) == value) {
    packer.pack(static_cast<float>(value));
  } else {
    packer.pack(value);
  }
  ++count_;
}

void FieldWriter::add(std::string_view name, const std::map<std::string, std::string>& value) {
  msgpack::packer(*fields_).pack(name).pack(value);
  ++count_;
}

void FieldWriter::add_bytes(std::string_view name, std::string_view value) {
  msgpack::packer packer(*fields_);
  packer.pack(name);
  packer.pack_bin(static_cast<uint32_t>(value.size()));
  packer.pack_bin_body(value.data(), static_cast<uint32_t>(value.size()));
  ++count_;
}

std::string FieldWriter::seal(std::string_view unknown, int32_t unknown_count) const {
  const std::string& fields = fields_->text;
  Sink map;
  msgpack::packer(map).pack_map(count_ + static_cast<uint32_t>(unknown_count));
  const size_t size = map.text.size() + fields.size() + unknown.size();
  Sink sealed;
  sealed.text.reserve(size + 16);
  msgpack::packer packer(sealed);
  packer.pack_array(3);
  packer.pack(kVersion);
  packer.pack(crc32(unknown, crc32(fields, crc32(map.text))));
  packer.pack_bin(static_cast<uint32_t>(size));
  for (const std::string_view part :
       {std::string_view(map.text), std::string_view(fields), unknown}) {
    sealed.text += part;
  }
  return std::move(sealed.text);
}

struct FieldReader::State {
  msgpack::object_handle handle;
  std::bitset<kMostFields> is_known;
  std::string problem;  // the first field that was missing or of another type; empty: none yet

  uint32_t size() const { return handle->via.map.size; }
  const msgpack::object_kv& pair(uint32_t i) const { return handle->via.map.ptr[i]; }

  const msgpack::object* find(std::string_view name) {
    for (uint32_t i = 0; i < size(); ++i) {
      const msgpack::object& key = pair(i).key;
      if (key.type == msgpack::type::STR &&
          std::string_view(key.via.str.ptr, key.via.str.size) == name) {
        is_known.set(i);
        return &pair(i).val;
      }
    }
    return nullptr;
  }
};

FieldReader::FieldReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
FieldReader::FieldReader(FieldReader&&) noexcept = default;
FieldReader& FieldReader::operator=(FieldReader&&) noexcept = default;
FieldReader::~FieldReader() = default;

Result<FieldReader> FieldReader::open(std::string_view bytes) {
  try {
    const std::string_view payload = TRIODE_TRY(open_envelope(bytes));
    auto state = std::make_unique<State>();
    state->handle = unpack(payload);
    if (state->handle->type != msgpack::type::MAP) return damaged("it is no map");
    if (state->size() > kMostFields) return damaged("it has too many fields");
    return FieldReader(std::move(state));
  } catch (const std::exception&) {
    return damaged("it is no msgpack");
  }
}

void FieldReader::note_missing(std::string_view name) {
  if (state_->problem.empty()) state_->problem = "it has no field " + std::string(name);
}

template <typename T>
bool FieldReader::read_as(std::string_view name, T& value) {
  const msgpack::object* found = state_->find(name);
  if (found == nullptr) return false;
  try {
    found->convert(value);
  } catch (const std::exception&) {
    if (state_->problem.empty()) {
      state_->problem = "its field " + std::string(name) + " is of another type";
    }
  }
  return true;
}

bool FieldReader::read(std::string_view name, std::string& value) {
  return read_as(name, value);
}
bool FieldReader::read(std::string_view name, int32_t& value) {
  return read_as(name, value);
}
bool FieldReader::read(std::string_view name, int64_t& value) {
  return read_as(name, value);
}
bool FieldReader::read(std::string_view name, uint64_t& value) {
  return read_as(name, value);
}
bool FieldReader::read(std::string_view name, double& value) {
  return read_as(name, value);
}
bool FieldReader::read(std::string_view name, bool& value) {
  return read_as(name, value);
}
bool FieldReader::read(std::string_view name, std::map<std::string, std::string>& value) {
  return read_as(name, value);
}
bool FieldReader::read_text(std::string_view name, std::string_view& value) {
  return read_as(name, value);
}

Status FieldReader::finish(std::string& unknown, int32_t& unknown_count) {
  if (!state_->problem.empty()) return damaged(state_->problem);
  unknown.clear();
  unknown_count = 0;
  if (state_->is_known.count() == state_->size()) return {};
  msgpack::sbuffer rest;
  msgpack::packer packer(rest);
  for (uint32_t i = 0; i < state_->size(); ++i) {
    if (state_->is_known.test(i)) continue;
    packer.pack(state_->pair(i).key);
    packer.pack(state_->pair(i).val);
    ++unknown_count;
  }
  unknown.assign(rest.data(), rest.size());
  return {};
}

}  // namespace triode
