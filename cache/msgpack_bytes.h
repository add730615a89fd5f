// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace triode {

// The msgpack of stored values, a value at a time: a record is read and written millions of times,
// and a library that makes a tree of objects of each takes longer for it than RocksDB. Pure
// functions, for any thread.

// Each writes a value in the fewest bytes that lose nothing. Texts and bytes have at most 2^32 - 1.
void pack_text(std::string_view value, std::string& out);
void pack_bytes(std::string_view value, std::string& out);
void pack_unsigned(uint64_t value, std::string& out);
void pack_signed(int64_t value, std::string& out);
void pack_real(double value, std::string& out);  // as a whole number where it is one
void pack_bool(bool value, std::string& out);
void pack_bytes_head(size_t size, std::string& out);
void pack_array_head(size_t count, std::string& out);
void pack_map_head(size_t count, std::string& out);

// Each takes the value off the front of `bytes`; empty, and nothing taken, if another kind stands
// there, or one that these bytes cannot hold. A count is what the bytes claim: each item is there
// only if it can be read.
std::optional<std::string_view> take_text(std::string_view& bytes);  // or bytes; not copied
std::optional<uint64_t> take_unsigned(std::string_view& bytes);
std::optional<int64_t> take_signed(std::string_view& bytes);
std::optional<double> take_real(std::string_view& bytes);  // or a whole number
std::optional<bool> take_bool(std::string_view& bytes);
std::optional<size_t> take_array_head(std::string_view& bytes);
std::optional<size_t> take_map_head(std::string_view& bytes);

// Takes any one value off the front, and returns its bytes. At most `depth` values inside each
// other.
std::optional<std::string_view> take_value(std::string_view& bytes, int depth);

}  // namespace triode
