// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/problem.h"
#include "core/random.h"
#include "core/target.h"
#include "runtime/host/plan_file.h"

namespace triode {

// A target that differs from others by its count of cores.
Target some_target(int32_t cores);

// A plan for an f32 square of this size, against "libblas.so.3 00ff cblas_sgemm".
StoredPlan plan_for_size(int64_t size);

// Any plan the format can hold.
StoredPlan random_plan(Random& random);

}  // namespace triode
