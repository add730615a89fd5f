// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace triode {

// Work shared out in numbered parts. Must not throw.
using ParallelBody = void (*)(void* context, int part);

// Calls body(context, part) once for each part in [0, parts), on whichever threads it likes, and
// returns when all have ended; what they wrote is then visible to the caller. Must not throw, and
// must not need two parts to run at the same time.
using ParallelFor = std::function<void(int parts, ParallelBody body, void* context)>;

// All parts in order on the calling thread.
inline void run_in_order(int parts, ParallelBody body, void* context) {
  for (int part = 0; part < parts; ++part) body(context, part);
}

}  // namespace triode
