// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cache/trial_record.h"
#include "core/status.h"

namespace triode {

// The bytes of a stored record: a msgpack array of version, CRC32 of the payload, and the payload,
// itself a msgpack map from field names to values. docs/adr/0003-measurement-key-and-value.md.
// Pure functions, for any thread.

// kInvalidArgument for times that are negative or not finite: no reader could rank them.
Result<std::string> encode_record(const TrialRecord& record);

// kCorrupt for anything that encode_record did not write, damaged, foreign and hostile bytes
// included. Fields it does not know are passed over.
Result<TrialRecord> decode_record(std::string_view bytes);

}  // namespace triode
