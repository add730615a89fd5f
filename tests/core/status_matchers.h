// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include "core/status.h"

namespace triode {

// A Status or Result that failed with this code and a message that the matcher accepts.
MATCHER_P2(FailsWith, code, message, "") {
  if (arg.ok()) {
    *result_listener << "it succeeded";
    return false;
  }
  *result_listener << "it failed with " << arg.status().to_string();
  return arg.status().code() == code &&
         ::testing::Matches(::testing::Matcher<std::string>(message))(arg.status().message());
}

}  // namespace triode
