// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/problem.h"
#include "core/status.h"

namespace triode::exchange {

// A key of Inductor's lookup table:
//   NVIDIA H100+((torch.float16, [64, 128], [128, 1]), (torch.float16, [128, 256], [256, 1]))+mm
struct InductorKey {
  std::string device;              // empty: for any
  std::optional<Problem> problem;  // not set: Triode has none for it; `reason` says why
  std::string reason;
};

// kInvalidArgument if it is no such key.
Result<InductorKey> parse_inductor_key(std::string_view text);

// The key that Inductor makes for a call with this problem, as far as one can tell: addmm's bias as
// a row that is added to each row. kUnsupported for types that torch does not have.
Result<std::string> inductor_key(const std::string& device, const Problem& problem);

}  // namespace triode::exchange
