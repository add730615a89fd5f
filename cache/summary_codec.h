// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>
#include <string_view>

#include "cache/problem_summary.h"
#include "core/status.h"

namespace triode {

// The bytes of the family "summaries". Under the prefix of a problem (cache/key_codec.h) itself
// stands the mark that its parts are out of date; behind it, under longer keys, stand the parts.
// Pure functions, for any thread.

// `problem` is a problem_prefix.
std::string summary_part_key(std::string_view problem, const SummaryPart& part);
std::string encode_summary_part(const SummaryPart& part);
std::string encode_stale_mark();

// kCorrupt, with the reason, for bytes that are no part of a summary.
Result<SummaryPart> decode_summary_part(std::string_view key, std::string_view value);

// The same for any record of the family.
Status check_summary_record(std::string_view key, std::string_view value);

}  // namespace triode
