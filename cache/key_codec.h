// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/sample_key.h"
#include "cache/trial_record.h"
#include "core/status.h"

namespace triode {

// The bytes of keys: components joined by '\n', which is escaped inside them, so that keys sort by
// component and every list of leading components, ended by a '\n', is the prefix of its own keys
// only. docs/adr/0009-cache-layout.md. Pure functions, for any thread.

// Components to bytes, each ended by '\n', and back. The last one of a key has no end mark.
std::string join_components(std::initializer_list<std::string_view> components);
std::vector<std::string> split_components(std::string_view key);
void append_component(std::string_view component, std::string& key);

// The first key after all that begin with `prefix`, which ends in '\n'.
std::string after_prefix(std::string prefix);

// The problem's text with each size led by a letter for its number of digits, 'a' for one: sizes
// then sort as numbers. "mm f32 c512xb64xd1024 nn". A text without sizes stays as it is.
std::string sortable_problem(std::string_view problem);
std::string plain_problem(std::string_view sortable);

std::string validity_text(const Validity& validity);
Result<Validity> parse_validity(std::string_view text);

// device, problem, config, validity: all trials of one key begin with this.
std::string sample_prefix(const SampleKey& key);
std::string device_prefix(std::string_view device);
std::string problem_prefix(std::string_view device, std::string_view problem);

// The last component, which tells the trials of one key apart: a number that counts up for our own,
// and a digest of the record, without its place, for imported ones, which are thereby stored once.
std::string trial_id(uint64_t sequence);
std::string imported_trial_id(std::string_view encoded_record);
// The number behind an id; empty for an imported trial's.
std::optional<uint64_t> trial_number(std::string_view id);

// kCorrupt, with the reason, for bytes that are no key of a measurement. Reuses the memory of
// `key`.
Status decode_sample_key(std::string_view bytes, SampleKey& key);

// Where the first `count` components end, their '\n' included; npos if there are fewer.
size_t end_of_components(std::string_view key, int count);

}  // namespace triode
