// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cache/keyed_trial.h"
#include "core/status.h"

namespace triode {

// Leaves trials in the spool of the cache at `path`, which the next writer takes in exactly once.
// For programs without RocksDB, and for when no writer runs. Makes the folder if there is none.
//
// Any number of processes and threads may call at once. A process that is killed in mid-call leaves
// the others' trials whole, and of its own either all or none. On the disk no sooner than the
// system writes it. All trials of one call go in or, on an error, none.
//   kInvalidArgument    times that are not finite, or more than kMostSpoolBytes in one call
//   kResourceExhausted  the disk is full, or the spool has kMostSpoolBytes
//   kUnavailable        the system refuses, or a stopped process has held the spool for long
Status append_to_spool(const std::string& path, std::span<const KeyedTrial> trials);

// The same for any number of trials, in a file of their own that is taken in like the spool: for
// what somebody brings in by hand. Killed in mid-call, it leaves some of the trials.
//   kInvalidArgument    times that are not finite
//   kResourceExhausted  the disk is full
//   kUnavailable        the system refuses
Status spool_apart(const std::string& path, std::span<const KeyedTrial> trials);

// A machine on which no writer ever runs shall not fill its disk.
inline constexpr size_t kMostSpoolBytes = size_t{64} << 20;

}  // namespace triode
