// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "cache/keyed_trial.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "runtime/device/replay_device.h"

namespace triode {

// The space that the configs of a problem are of.
using SpaceOf = std::function<Result<Space>(const Problem&)>;

// Trials as a cache keeps them, to be replayed: those that MeasurementStore::scan visits, or those
// of another tool's file, which are read as for an import:
//
//   const auto file = TRIODE_TRY(SourceFile::read("matmul_cache.json"));
//   const auto table = TRIODE_TRY(read_exchange(ExchangeFormat::kKernelTuner, file, options));
//   const auto source = TRIODE_TRY(make_stored_source(
//       trials_of(table, ExchangeFormat::kKernelTuner, file.name()), "RTX A4000", {}));
//
// Those on `device`, its name alone; kNotFound, naming the devices there are, if there are none. A
// config's trials under several toolchains are replayed as the latest, and of several kernels that
// were tried on a problem the one with the most trials. Configs that were named without a time are
// left out, and what this build cannot read.
//
// Without `space_of`, a space is made of the configs: a parameter of whole numbers has those as its
// values, any other has words. kUnsupported for more parameters than a Config holds. With it,
// configs that its space has no place for are left out.
Result<std::shared_ptr<const ReplaySource>> make_stored_source(std::vector<KeyedTrial> trials,
                                                               std::string_view device,
                                                               const SpaceOf& space_of);

}  // namespace triode
