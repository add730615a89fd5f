// SPDX-License-Identifier: Apache-2.0
#include "cache/quarantine.h"

#include <string>

#include "cache/database.h"
#include "cache/field_map.h"
#include "cache/key_codec.h"

namespace triode {

Status quarantine(Database& database, const Damage& damage, std::string_view value,
                  rocksdb::WriteBatch& batch, int64_t now_unix_s) {
  const uint64_t sequence = TRIODE_TRY(database.take_sequence(1));
  FieldWriter fields;
  fields.add("family", damage.family);
  fields.add_bytes("key", damage.key);
  fields.add_bytes("value", value);
  fields.add("reason", damage.reason);
  fields.add("when", now_unix_s);
  const std::string key = join_components({damage.family}) + trial_id(sequence);
  const rocksdb::Status status =
      batch.Put(database.family(Family::kQuarantine), key, fields.seal());
  return status.ok() ? Status() : database.explain("write to", status);
}

int64_t quarantined_at(std::string_view value) {
  Result<FieldReader> fields = FieldReader::open(value);
  int64_t when = 0;
  if (fields.ok()) fields->read("when", when);
  return when;
}

}  // namespace triode
