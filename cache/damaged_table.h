// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>

#include "core/status.h"

namespace triode {

// A table file of RocksDB's that may be damaged outside its records.

bool opens(const std::string& file);

// Lets a table be opened whose description of itself ("properties") is damaged: puts that of
// another table of ours in its place, of the same length, since RocksDB needs from it nothing but
// what all of ours have in common. What it says of this table, as its number of records, is wrong
// from then on, so the records are to be written anew. False, and nothing changed, if the table
// does not open even so. The old file stays under its other names. Uses the folder `scratch`, which
// must not be there yet, on the same file system, and removes it.
Result<bool> mend_description(const std::string& file, const std::string& scratch);

// "4000 records of measurements", by the table's description of itself, which may be damaged.
std::string what_is_in(const std::string& file);

}  // namespace triode
