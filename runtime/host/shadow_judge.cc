// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/shadow_judge.h"

#include <algorithm>

namespace triode::host {

void ShadowJudge::add(double plan_ns, double vendor_ns) {
  if (plan_ns <= vendor_ns) {
    against_ = std::max(0, against_ - 1);
  } else {
    against_ += plan_ns > kFarSlower * vendor_ns ? kVotesFarSlower : 1;
  }
}

}  // namespace triode::host
