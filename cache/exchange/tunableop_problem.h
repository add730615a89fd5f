// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/problem.h"
#include "core/status.h"

namespace triode::exchange {

// The problem behind a TunableOp signature and its parameters, which are those of a column-major
// BLAS call: "GemmTunableOp_float_NT" and "nt_25088_4096_64_ld_25088_4096_25088". kInvalidArgument
// if they are malformed; not set if Triode has no such problem, and `reason` says why.
Result<std::optional<Problem>> problem_of_tunableop(std::string_view signature,
                                                    std::string_view parameters,
                                                    std::string& reason);

}  // namespace triode::exchange
