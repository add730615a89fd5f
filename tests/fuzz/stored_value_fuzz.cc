// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cache/artifact_codec.h"
#include "cache/key_codec.h"
#include "cache/model_codec.h"
#include "cache/plan_codec.h"
#include "cache/record_codec.h"
#include "cache/summary_codec.h"
#include "core/crc32.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

// What is read is written and read as the same.
void decode(std::string_view bytes) {
  (void)triode::decode_plan(bytes);
  (void)triode::decode_artifact_code(bytes);
  (void)triode::decode_artifact_entry("digest", bytes);
  (void)triode::decode_model_entry("digest", bytes);
  (void)triode::decode_promotion(bytes);
  (void)triode::decode_summary_part("device\nproblem\ntoolchain\n\nok", bytes);
  const triode::Result<triode::TrialRecord> record = triode::decode_record(bytes);
  if (!record.ok()) return;
  const triode::Result<std::string> written = triode::encode_record(*record);
  if (!written.ok()) std::abort();
  const triode::Result<triode::TrialRecord> again = triode::decode_record(*written);
  if (!again.ok() || *again != *record) std::abort();
}

void append_u32(size_t value, std::string& out) {  // as msgpack has it: the greatest byte first
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
}

// The value with these fields, and a checksum that is right: few inputs have one by chance.
std::string sealed(std::string_view fields) {
  std::string value = "\x93\x01\xce";
  append_u32(triode::crc32(fields), value);
  value += '\xc6';
  append_u32(fields.size(), value);
  return value.append(fields);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  decode(bytes);
  decode(sealed(bytes));
  triode::SampleKey key;
  (void)triode::decode_sample_key(bytes, key);
  (void)triode::decode_plan_key(bytes);
  (void)triode::decode_summary_part(bytes, bytes);
  return 0;
}
