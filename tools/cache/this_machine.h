// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cache/validity.h"

namespace triode::cache_tool {

// Who asks: the processor that this command runs on, as Triode's cpu device describes it.
struct Asker {
  std::string device;  // device_of
  Validity validity;
};

Asker this_machine();

// Why a timing is no answer on the asker's machine: "another device", "driver 1, now 2". Empty if
// it is one.
std::string why_no_answer(const Asker& asker, const std::string& device, const Validity& validity);

}  // namespace triode::cache_tool
