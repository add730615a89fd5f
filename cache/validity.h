// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/target.h"

namespace triode {

// What, besides the device, must be equal for an old timing to be an answer today. A timing with
// another validity is a prior: a hint what to try first.
struct Validity {
  std::string toolchain;  // Target::toolchain: code generator and compiler with their versions
  std::string driver;     // Target::driver; empty on a cpu
  std::string generator;  // version of whatever wrote the source, where the toolchain does not say
  std::string source;     // digest of the kernel's source; empty where the generator decides it

  bool operator==(const Validity&) const = default;
};

// The parts of a target that do not name its device. Generator and source stay empty.
Validity validity_of(const Target& target);

// The parts that name the device, on one line: name, isa, cores and cache sizes, as
// Target::fingerprint escapes them. Timings on equal devices are comparable.
std::string device_of(const Target& target);

// The name alone: the first part of what device_of made.
std::string device_name(const std::string& device);

// Why a timing of validity `stored` is not an answer to whoever has `wanted`: "driver 550.1, now
// 560.2; toolchain ...". Empty if it is one.
std::string why_prior(const Validity& stored, const Validity& wanted);

}  // namespace triode
