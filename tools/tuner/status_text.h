// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/tuner/status_messages.h"

namespace triode::tuner {

std::string to_text(const StatusAnswer& status);
std::string to_json(const StatusAnswer& status);  // one line

}  // namespace triode::tuner
