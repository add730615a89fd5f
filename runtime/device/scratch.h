// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace triode {

// Memory of the calling thread, aligned to 64 bytes, kept until the thread ends. Grows to the
// largest size ever asked for: allocates then, and never again. The contents do not survive
// growing; null only if memory ran out. One user at a time: a second call on the same thread gives
// the same memory.
void* thread_scratch(size_t size_bytes);

}  // namespace triode
