// SPDX-License-Identifier: Apache-2.0
// Gives a stand-in BLAS the function by which Triode asks how many threads it uses.
#include <atomic>

namespace {

std::atomic<int> threads{1};

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int openblas_get_num_threads() {
  return threads.load();
}

EXPORT void stand_in_set_threads(int count) {
  threads.store(count);
}
