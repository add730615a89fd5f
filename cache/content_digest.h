// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>
#include <string_view>

namespace triode {

// The name of some bytes: 32 hexadecimal digits, the same on every machine. Told apart by chance,
// not against malice: whoever stores under it compares.
std::string content_digest(std::string_view bytes);

}  // namespace triode
