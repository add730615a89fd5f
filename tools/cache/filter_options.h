// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "cache/trial_filter.h"
#include "core/status.h"
#include "tools/cache/arguments.h"

namespace triode::cache_tool {

// The options that choose records, alike for every command that has them.
inline constexpr std::array<std::string_view, 9> kFilterOptions = {
    "--target", "--op", "--dtype", "--m", "--n", "--k", "--outcome", "--toolchain", "--origin"};

// kInvalidArgument names the option, the value, and what would be accepted.
Result<TrialFilter> read_filter(const Arguments& arguments);

// The same question for a record that is at hand.
bool matches(const TrialFilter& filter, const std::string& device, const std::string& problem,
             const std::string& toolchain, OutcomeKind outcome, const std::string& origin);

}  // namespace triode::cache_tool
