// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cache/sample_key.h"
#include "core/problem.h"
#include "core/target.h"

namespace triode::tuner {

// Under which the code of a GPU's plan is kept for whoever has the plan (docs/adr/0059): by its own
// digest, so that it is found whatever compiles by then, and by no driver, which checks it anew.
inline SampleKey checked_code_key(const Target& target, const Problem& problem,
                                  const std::string& config, uint64_t code_digest) {
  return {.device = device_of(target),
          .problem = to_string(problem),
          .config = config,
          .validity = {.toolchain = "code " + std::to_string(code_digest),
                       .driver = {},
                       .generator = {},
                       .source = {}}};
}

}  // namespace triode::tuner
