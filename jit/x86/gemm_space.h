// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "jit/x86/gemm_config.h"

namespace triode::x86 {

// The configs with which a problem can be run by code of these widths on up to `cores` threads (and
// no more than the problem's own budget). kUnsupported for dtypes, ops or epilogues the emitters do
// not know.
Result<Space> gemm_space(const Problem& problem, std::span<const IsaId> isas, int32_t cores);

// Between a Config of such a space and its typed form.
GemmConfig to_gemm_config(const Config& config);
Config to_config(const GemmConfig& config);

// Legal configs that did well in kind on problems like this one, best guesses first: where a search
// that knows nothing should begin. All are legal; there is one at
// least if the space has any.
std::vector<Config> promising_configs(const Space& space, const Problem& problem);

}  // namespace triode::x86
