// SPDX-License-Identifier: Apache-2.0
#include "cache/model_codec.h"

#include <sstream>

#include "cache/content_digest.h"
#include "cache/field_map.h"
#include "cache/key_codec.h"

namespace triode {
std::string model_entry_key(std::string_view digest) {
  return join_components({"entry"}).append(digest);
}
std::string model_snapshot_key(std::string_view digest) {
  return join_components({"snapshot"}).append(digest);
}
std::string promoted_key(std::string_view family) {
  std::string key = join_components({"promoted", family});
  key.pop_back();
  return key;
}

std::string encode_model_entry(const ModelEntry& entry) {
  FieldWriter fields;
  fields.add("family", entry.family);
  fields.add("size", entry.size_bytes);
  fields.add("made", entry.made_unix_s);
  if (!entry.notes.empty()) fields.add("notes", entry.notes);
  return fields.seal(entry.unknown, entry.unknown_count);
}

std::string encode_model_snapshot(std::string_view snapshot) {
  FieldWriter fields;
  fields.add_bytes("snapshot", snapshot);
  return fields.seal();
}

// Digests have no blanks.
std::string encode_promotion(const Promotion& promotion) {
  std::string before;
  for (const std::string& digest : promotion.before) before += (before.empty() ? "" : " ") + digest;
  FieldWriter fields;
  fields.add("digest", promotion.digest);
  if (!before.empty()) fields.add("before", before);
  return fields.seal(promotion.unknown, promotion.unknown_count);
}

Result<ModelEntry> decode_model_entry(const std::string& digest, std::string_view bytes) {
  FieldReader fields = TRIODE_TRY(FieldReader::open(bytes));
  ModelEntry entry;
  entry.digest = digest;
  fields.require("family", entry.family);
  fields.require("size", entry.size_bytes);
  fields.require("made", entry.made_unix_s);
  fields.read("notes", entry.notes);
  TRIODE_TRY(fields.finish(entry.unknown, entry.unknown_count));
  return entry;
}

Result<std::string> decode_model_snapshot(std::string_view bytes) {
  FieldReader fields = TRIODE_TRY(FieldReader::open(bytes));
  std::string snapshot;
  fields.require("snapshot", snapshot);
  TRIODE_TRY(fields.finish());
  return snapshot;
}

Result<Promotion> decode_promotion(std::string_view bytes) {
  FieldReader fields = TRIODE_TRY(FieldReader::open(bytes));
  Promotion promotion;
  std::string before;
  fields.require("digest", promotion.digest);
  fields.read("before", before);
  TRIODE_TRY(fields.finish(promotion.unknown, promotion.unknown_count));
  std::istringstream words(before);
  for (std::string digest; words >> digest;) promotion.before.push_back(digest);
  return promotion;
}

Status check_model_record(std::string_view key, std::string_view value) {
  const size_t end = end_of_components(key, 1);
  const std::string_view kind = key.substr(0, end);
  if (kind == "entry\n") {
    TRIODE_TRY(decode_model_entry(std::string(key.substr(end)), value));
  } else if (kind == "promoted\n") {
    TRIODE_TRY(decode_promotion(value));
  } else if (kind == "snapshot\n") {
    if (content_digest(TRIODE_TRY(decode_model_snapshot(value))) != key.substr(end)) {
      return corrupt("the snapshot's bytes have another digest");
    }
  } else {
    return corrupt("the key is none of a model");
  }
  return {};
}

}  // namespace triode
