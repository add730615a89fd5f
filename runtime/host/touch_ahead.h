// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace triode::host {

// Has the system provide the pages of this memory now, all at once: a thread that touches them one
// by one waits for each, a microsecond or more. On a system that cannot (Linux before 5.14) nothing
// changes. Leaves errno as it was.
void touch_ahead(void* memory, size_t bytes) noexcept;

}  // namespace triode::host
