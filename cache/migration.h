// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cache/sample_key.h"
#include "core/status.h"

namespace triode {

class Database;

// Brings the records of an older schema into the present layout, a few thousand at a time. Ended
// midway it goes on the next time. The caller writes the schema version when it is done.
Status migrate_to_present_schema(Database& database, int from);

// The key of a measurement of schema 1, target fingerprint, problem and config joined by '\n', in
// today's parts. Empty if it is none.
std::optional<SampleKey> parse_key_of_schema_1(std::string_view key);

}  // namespace triode
