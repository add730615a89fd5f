// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "cache/cache.h"
#include "cache/keyed_trial.h"

namespace triode {

// A trial that its number decides: problems of a hundred configs each, in the order of the numbers.
KeyedTrial numbered_trial(int64_t number);

// Writes the trials from `begin` to before `end`, in one batch. Ends the test if it cannot.
void put_numbered(Cache& cache, int64_t begin, int64_t end);

// Moves all records from the log to table files. Ends the test if it cannot.
void flush(const Cache& cache);

// The numbers of all trials that can be read; reads past damage.
std::set<int64_t> numbers_in(const Cache& cache);

}  // namespace triode
