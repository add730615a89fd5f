// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cache/validity.h"
#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/target.h"

namespace triode {

// What a trial was a trial of. All of it is text, so that configs and devices that this build does
// not know can be kept too; none of it may be changed once trials are stored under it.
struct SampleKey {
  std::string device;   // device_of(target)
  std::string problem;  // canonical: to_string(Problem)
  std::string config;   // Space::to_string, or the words of a foreign tool: any bytes
  Validity validity;

  bool operator==(const SampleKey&) const = default;
};

SampleKey sample_key(const Target& target, const Problem& problem, const Space& space,
                     const Config& config);

}  // namespace triode
