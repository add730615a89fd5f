// SPDX-License-Identifier: Apache-2.0
#include "cache/artifact_codec.h"

#include <zstd.h>

#include <cstdint>

#include "cache/content_digest.h"
#include "cache/field_map.h"
#include "cache/key_codec.h"

namespace triode {
namespace {

// zstd's default. Code is written once and read seldom; higher levels save a few percent.
constexpr int kCompressionLevel = 3;

// Far above any kernel; a larger claim is damage, and must not be allocated.
constexpr int64_t kMostCodeBytes = int64_t{1} << 30;

}  // namespace

std::string artifact_code_key(std::string_view digest) {
  return join_components({"code"}).append(digest);
}
std::string artifact_entry_key(std::string_view digest) {
  return join_components({"entry"}).append(digest);
}
std::string made_for_prefix() {
  return join_components({"made-for"});
}
std::string made_for_key(const SampleKey& key) {
  return made_for_prefix() + sample_prefix(key);
}

std::string encode_artifact_code(std::string_view code) {
  std::string packed(ZSTD_compressBound(code.size()), '\0');
  // Into a buffer of that size it cannot fail.
  packed.resize(
      ZSTD_compress(packed.data(), packed.size(), code.data(), code.size(), kCompressionLevel));
  FieldWriter fields;
  fields.add("size", static_cast<int64_t>(code.size()));
  fields.add_bytes("zstd", packed);
  return fields.seal();
}

std::string encode_artifact_entry(const ArtifactEntry& entry) {
  FieldWriter fields;
  fields.add("kind", entry.facts.kind);
  fields.add("entry", entry.facts.entry);
  fields.add("registers", int64_t{entry.facts.registers});
  fields.add("shared_bytes", entry.facts.shared_bytes);
  fields.add("spills", int64_t{entry.facts.spills});
  fields.add("block_threads", int64_t{entry.facts.threads_per_block});
  fields.add("code_bytes", entry.code_bytes);
  fields.add("stored_bytes", entry.stored_bytes);
  fields.add("made", entry.made_unix_s);
  fields.add("used", entry.used_unix_s);
  return fields.seal(entry.unknown, entry.unknown_count);
}

std::string encode_made_for(std::string_view digest) {
  FieldWriter fields;
  fields.add("digest", digest);
  return fields.seal();
}

Result<std::string> decode_artifact_code(std::string_view bytes) {
  FieldReader fields = TRIODE_TRY(FieldReader::open(bytes));
  int64_t size = -1;
  std::string_view packed;
  fields.require("size", size);
  if (!fields.read_text("zstd", packed)) return corrupt("an artifact is damaged: it has no code");
  TRIODE_TRY(fields.finish());
  if (size < 0 || size > kMostCodeBytes) return corrupt("an artifact is damaged: its size");
  std::string code(static_cast<size_t>(size), '\0');
  const size_t got = ZSTD_decompress(code.data(), code.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != code.size()) {
    return corrupt("an artifact is damaged: its code does not unpack");
  }
  return code;
}

Result<ArtifactEntry> decode_artifact_entry(const std::string& digest, std::string_view bytes) {
  FieldReader fields = TRIODE_TRY(FieldReader::open(bytes));
  ArtifactEntry entry;
  entry.digest = digest;
  fields.require("kind", entry.facts.kind);
  fields.require("entry", entry.facts.entry);
  fields.require("registers", entry.facts.registers);
  fields.require("shared_bytes", entry.facts.shared_bytes);
  fields.require("spills", entry.facts.spills);
  fields.require("block_threads", entry.facts.threads_per_block);
  fields.require("code_bytes", entry.code_bytes);
  fields.require("stored_bytes", entry.stored_bytes);
  fields.require("made", entry.made_unix_s);
  fields.require("used", entry.used_unix_s);
  TRIODE_TRY(fields.finish(entry.unknown, entry.unknown_count));
  return entry;
}

Result<std::string> decode_made_for(std::string_view bytes) {
  FieldReader fields = TRIODE_TRY(FieldReader::open(bytes));
  std::string digest;
  fields.require("digest", digest);
  TRIODE_TRY(fields.finish());
  return digest;
}

Status check_artifact_record(std::string_view key, std::string_view value) {
  const size_t end = end_of_components(key, 1);
  const std::string_view kind = key.substr(0, end);
  if (kind == "entry\n") {
    TRIODE_TRY(decode_artifact_entry(std::string(key.substr(end)), value));
  } else if (kind == "made-for\n") {
    TRIODE_TRY(decode_made_for(value));
  } else if (kind == "code\n") {
    if (content_digest(TRIODE_TRY(decode_artifact_code(value))) != key.substr(end)) {
      return corrupt("the code's bytes have another digest");
    }
  } else {
    return corrupt("the key is none of an artifact");
  }
  return {};
}

}  // namespace triode
