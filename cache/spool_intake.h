// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>
#include <string>

#include "cache/cache.h"
#include "core/status.h"

namespace triode {

class Database;

// Claims the spool of the database's folder and takes in every trial of it exactly once, however
// often the process is ended on the way: how far a file was read is stored together with what was
// read from it. Bytes that make no sense go to quarantine. The database is open for writing, which
// keeps others from claiming.
Result<SpoolIntake> take_in_spool(Database& database);

// Bytes that wait in it.
int64_t spooled_bytes(const std::string& folder);
// Whole trials that do. Reads all of it, past everybody's lock.
int64_t spooled_trials(const std::string& folder);

}  // namespace triode
