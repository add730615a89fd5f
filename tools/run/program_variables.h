// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/settings.h"
#include "core/status.h"

namespace triode::run {

// A variable of an environment.
struct Variable {
  std::string name;
  std::string value;

  bool operator==(const Variable&) const = default;
};

// The TRIODE_* variables that a program has to get besides what `environment` holds, so that it
// runs with the settings of both; `given`, those of the options, win. Paths become absolute, those
// from the environment too, since the program may change folder. kInvalidArgument for a wrong value
// in the environment or settings that contradict each other; kNotFound if a file of plans is needed
// and cannot be read.
Result<std::vector<Variable>> program_variables(const std::vector<Variable>& given,
                                                const VariableLookup& environment);

}  // namespace triode::run
