// SPDX-License-Identifier: Apache-2.0
#include "cache/sample_key.h"

namespace triode {

SampleKey sample_key(const Target& target, const Problem& problem, const Space& space,
                     const Config& config) {
  return {.device = device_of(target),
          .problem = to_string(problem),
          .config = space.to_string(config),
          .validity = validity_of(target)};
}

}  // namespace triode
