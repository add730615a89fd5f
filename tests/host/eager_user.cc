// SPDX-License-Identifier: Apache-2.0
// Part of a library: multiplies when it is loaded.
#include <cstdlib>

extern "C" bool user_multiplies();

namespace {

__attribute__((constructor)) void multiply() {
  if (!user_multiplies()) std::abort();
}

}  // namespace
