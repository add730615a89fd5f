// SPDX-License-Identifier: Apache-2.0
#include "cache/field_map.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cache/msgpack_bytes.h"
#include "core/crc32.h"

namespace triode {
namespace {

// Of the value alone; the cache has a schema version of its own. A value of another version is
// unreadable, and comes only with a newer schema.
constexpr uint64_t kVersion = 1;
constexpr size_t kEnvelopeParts = 3;

// A value has some twenty fields. Bytes that claim more are not ours, and must not make the reader
// allocate what they claim. Extra fields of an import are a map of their own.
constexpr size_t kMostFields = 64;
constexpr int kMostDepth = 16;

// More than a measurement of ours has, so that its text is allocated once.
constexpr size_t kUsualBytes = 256;
constexpr size_t kUsualFields = 16;

Status damaged(std::string_view why) {
  return corrupt("a stored value is damaged: " + std::string(why));
}

// The payload of an undamaged value.
Result<std::string_view> open_envelope(std::string_view bytes) {
  if (take_array_head(bytes) != kEnvelopeParts) return damaged("it is no array of three");
  if (take_unsigned(bytes) != kVersion) return damaged("it has another version");
  const std::optional<uint64_t> checksum = take_unsigned(bytes);
  const std::optional<std::string_view> payload = take_text(bytes);
  if (!checksum || !payload || !bytes.empty()) return damaged("it has no payload");
  if (*checksum != crc32(*payload)) return damaged("its checksum is wrong");
  return *payload;
}

template <typename Number, typename Wide>
bool narrow(const std::optional<Wide>& from, Number& into) {
  if (!from || !std::in_range<Number>(*from)) return false;
  into = static_cast<Number>(*from);
  return true;
}

bool take(std::string_view bytes, int32_t& value) {
  return narrow(take_signed(bytes), value);
}
bool take(std::string_view bytes, int64_t& value) {
  return narrow(take_signed(bytes), value);
}
bool take(std::string_view bytes, uint64_t& value) {
  return narrow(take_unsigned(bytes), value);
}
bool take(std::string_view bytes, double& value) {
  const std::optional<double> found = take_real(bytes);
  value = found.value_or(value);
  return found.has_value();
}
bool take(std::string_view bytes, bool& value) {
  const std::optional<bool> found = take_bool(bytes);
  value = found.value_or(value);
  return found.has_value();
}
bool take(std::string_view bytes, std::string_view& value) {
  const std::optional<std::string_view> found = take_text(bytes);
  value = found.value_or(value);
  return found.has_value();
}
bool take(std::string_view bytes, std::string& value) {
  std::string_view text;
  if (!take(bytes, text)) return false;
  value = text;
  return true;
}
bool take(std::string_view bytes, std::map<std::string, std::string>& value) {
  const std::optional<size_t> count = take_map_head(bytes);
  if (!count) return false;
  value.clear();
  for (size_t i = 0; i < *count; ++i) {
    const std::optional<std::string_view> name = take_text(bytes);
    const std::optional<std::string_view> text = take_text(bytes);
    if (!name || !text) return false;
    value.insert_or_assign(std::string(*name), std::string(*text));
  }
  return true;
}

}  // namespace

FieldWriter::FieldWriter() {
  fields_.reserve(kUsualBytes);
}

void FieldWriter::add(std::string_view name, std::string_view value) {
  begin(name);
  pack_text(value, fields_);
}

void FieldWriter::add(std::string_view name, int64_t value) {
  begin(name);
  pack_signed(value, fields_);
}

void FieldWriter::add(std::string_view name, uint64_t value) {
  begin(name);
  pack_unsigned(value, fields_);
}

void FieldWriter::add(std::string_view name, bool value) {
  begin(name);
  pack_bool(value, fields_);
}

void FieldWriter::add(std::string_view name, double value) {
  begin(name);
  pack_real(value, fields_);
}

void FieldWriter::add(std::string_view name, const std::map<std::string, std::string>& value) {
  begin(name);
  pack_map_head(value.size(), fields_);
  for (const auto& [key, text] : value) {
    pack_text(key, fields_);
    pack_text(text, fields_);
  }
}

void FieldWriter::add_bytes(std::string_view name, std::string_view value) {
  begin(name);
  pack_bytes(value, fields_);
}

void FieldWriter::begin(std::string_view name) {
  pack_text(name, fields_);
  ++count_;
}

std::string FieldWriter::seal(std::string_view unknown, int32_t unknown_count) const {
  std::string map;
  pack_map_head(count_ + static_cast<size_t>(unknown_count), map);
  const size_t size = map.size() + fields_.size() + unknown.size();
  std::string sealed;
  sealed.reserve(size + 16);
  pack_array_head(kEnvelopeParts, sealed);
  pack_unsigned(kVersion, sealed);
  pack_unsigned(crc32(unknown, crc32(fields_, crc32(map))), sealed);
  pack_bytes_head(size, sealed);
  sealed += map;
  sealed += fields_;
  sealed += unknown;
  return sealed;
}

Result<FieldReader> FieldReader::open(std::string_view bytes) {
  std::string_view payload = TRIODE_TRY(open_envelope(bytes));
  const std::optional<size_t> count = take_map_head(payload);
  if (!count) return damaged("it is no map");
  if (*count > kMostFields) return damaged("it has too many fields");
  FieldReader reader;
  reader.fields_.reserve(kUsualFields);
  for (size_t i = 0; i < *count; ++i) {
    const char* begin = payload.data();
    const std::optional<std::string_view> key = take_value(payload, kMostDepth);
    const std::optional<std::string_view> value = take_value(payload, kMostDepth);
    if (!key || !value) return damaged("it is no msgpack");
    std::string_view rest = *key;
    reader.fields_.push_back({.name = take_text(rest).value_or(std::string_view()),
                              .value = *value,
                              .whole = {begin, key->size() + value->size()}});
  }
  if (!payload.empty()) return damaged("it is no msgpack");
  return reader;
}

void FieldReader::note_missing(std::string_view name) {
  if (problem_.empty()) problem_ = "it has no field " + std::string(name);
}

// Fields are asked for in the order in which they are written, mostly.
FieldReader::Field* FieldReader::find(std::string_view name) {
  for (size_t i = 0; i < fields_.size(); ++i) {
    Field& field = fields_[(next_ + i) % fields_.size()];
    if (field.name != name) continue;
    next_ += i + 1;
    field.is_known = true;
    return &field;
  }
  return nullptr;
}

template <typename T>
bool FieldReader::read_as(std::string_view name, T& value) {
  const Field* found = find(name);
  if (found == nullptr) return false;
  if (!take(found->value, value) && problem_.empty()) {
    problem_ = "its field " + std::string(name) + " is of another type";
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

Status FieldReader::finish(std::string& unknown, int32_t& unknown_count) const {
  if (!problem_.empty()) return damaged(problem_);
  unknown.clear();
  unknown_count = 0;
  for (const Field& field : fields_) {
    if (field.is_known) continue;
    const auto is_same = [&](const Field& other) { return other.name == field.name; };
    // Whichever of the two a rewrite put first would count the next time.
    if (!field.name.empty() && std::count_if(fields_.begin(), fields_.end(), is_same) > 1) {
      return damaged("its field " + std::string(field.name) + " is there twice");
    }
    unknown += field.whole;
    ++unknown_count;
  }
  return {};
}

Status FieldReader::finish() const {
  std::string unknown;
  int32_t unknown_count = 0;
  return finish(unknown, unknown_count);
}

}  // namespace triode
