// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/problem.h"
#include "core/status.h"
#include "core/target.h"

namespace triode {

// A plan as it is kept between runs: a Plan whose config is text, since the space that gives its
// numbers a meaning is known only to the device, and with the times behind the speedup.
// Texts are not empty and hold no control characters; numbers are finite and not negative.
struct StoredPlan {
  Problem problem;
  std::string config;        // Space::to_string
  std::string vendor;        // what it beat: "libopenblas.so.0 4f2a...c9 cblas_sgemm"
  uint64_t code_digest = 0;  // Artifact::digest() of what was checked
  double speedup = 0;        // over that vendor
  double vendor_ns = 0;      // per call, medians
  double plan_ns = 0;

  bool operator==(const StoredPlan&) const = default;
};

// The plans of one target; no two for the same problem and vendor.
struct PlanSection {
  std::string target;  // Target::fingerprint()
  std::vector<StoredPlan> plans;

  bool operator==(const PlanSection&) const = default;
};

// What a plan file holds: one section per target, so that machines can share it.
struct PlanFile {
  std::vector<PlanSection> sections;

  // Empty if the file says nothing of the target. Valid while the sections are.
  std::span<const StoredPlan> plans_for(const Target& target) const;

  bool operator==(const PlanFile&) const = default;
};

// A plan file is flat text with a checksum (docs/adr/0004-plan-file.md) that is only ever replaced
// as a whole: a reader sees the file before a change or after it, waits for nobody and needs no
// lock. Writers wait for each other by `<path>.lock`, which stays there, for a second at most.
// Every error names the path, the line where there is one, and what to do. Any thread may call.

// All of it or nothing: a file with any damage gives no plan. kNotFound if there is none; kCorrupt
// for bytes that do not make sense; kUnsupported for the format of a newer Triode, for more than
// 64 MiB and for what is not a file; kUnavailable if it cannot be read.
Result<PlanFile> read_plan_file(const std::string& path);

// Writes these sections and keeps those that the file at `path` has of other targets. When this
// returns the bytes are on the disk. A damaged file that stands there is moved to `<path>.damaged`
// (`<path>.damaged.2` and so on where that is taken).
// Fails and leaves all plans as they were: kInvalidArgument for plans that the format cannot hold,
// for a target or a (problem, vendor) that comes twice; kNotFound if there is no such folder;
// kUnavailable if it is not writable or another writer holds the lock; kResourceExhausted if the
// disk is full or the file would grow beyond 64 MiB; kUnsupported, as above.
Status write_plan_file(const std::string& path, const PlanFile& file);

// Adds plans to the target's section in the file at `path`, which need not be there. A plan
// replaces the one of its problem and vendor; of equal ones among `plans` the last counts.
// Everything else stays. Fails like write_plan_file().
Status merge_into_plan_file(const std::string& path, const Target& target,
                            std::span<const StoredPlan> plans);

// Takes this very plan (its problem, vendor and config) out of the target's section, if it is
// there. Everything else stays, also a plan of another config that somebody else has put in its
// place. Fails like write_plan_file(); nothing to take out is no failure.
Status remove_from_plan_file(const std::string& path, const Target& target, const StoredPlan& plan);

}  // namespace triode
