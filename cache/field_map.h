// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode {

// The bytes of a stored value: a msgpack array of version, CRC-32 of the payload, and the payload,
// itself a msgpack map from field names to values. docs/adr/0009-cache-layout.md. What a reader
// does not know it hands back, so that a rewrite keeps it.

// Collects the fields of one value. A field at its default is better left out.
class FieldWriter {
 public:
  FieldWriter();

  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, const char* value) { add(name, std::string_view(value)); }
  void add(std::string_view name, int64_t value);
  void add(std::string_view name, uint64_t value);
  void add(std::string_view name, double value);  // in the fewest bytes that lose nothing
  void add(std::string_view name, bool value);
  void add(std::string_view name, const std::map<std::string, std::string>& value);
  // Bytes that need not be text.
  void add_bytes(std::string_view name, std::string_view value);

  // The sealed value, with the fields that a reader once handed back.
  std::string seal(std::string_view unknown = {}, int32_t unknown_count = 0) const;

 private:
  void begin(std::string_view name);

  std::string fields_;  // names and values, one behind the other
  size_t count_ = 0;
};

// The fields of one value. Texts live as long as the bytes given to open().
class FieldReader {
 public:
  // kCorrupt, with the reason, for anything that FieldWriter did not write; damaged, foreign and
  // hostile bytes included.
  static Result<FieldReader> open(std::string_view bytes);

  // Each returns whether the field is there. A field of another type than asked for makes the whole
  // value damaged, which finish() reports.
  bool read(std::string_view name, std::string& value);
  bool read(std::string_view name, int32_t& value);
  bool read(std::string_view name, int64_t& value);
  bool read(std::string_view name, uint64_t& value);
  bool read(std::string_view name, double& value);
  bool read(std::string_view name, bool& value);
  bool read(std::string_view name, std::map<std::string, std::string>& value);
  bool read_text(std::string_view name, std::string_view& value);  // or bytes; no copy
  // The same for a field that must be there.
  template <typename T>
  void require(std::string_view name, T& value) {
    if (!read(name, value)) note_missing(name);
  }

  // Hands over the fields that were not asked for. kCorrupt if one was missing or of another type.
  Status finish(std::string& unknown, int32_t& unknown_count) const;
  // The same for a value that is never rewritten, only made anew.
  Status finish() const;

 private:
  struct Field {
    std::string_view name;   // empty if it is no text
    std::string_view value;  // its msgpack
    std::string_view whole;  // that of both
    bool is_known = false;
  };
  FieldReader() = default;
  Field* find(std::string_view name);
  void note_missing(std::string_view name);
  template <typename T>
  bool read_as(std::string_view name, T& value);

  std::vector<Field> fields_;
  size_t next_ = 0;      // where the search for the next one begins
  std::string problem_;  // the first field that was missing or of another type; empty: none yet
};

}  // namespace triode
