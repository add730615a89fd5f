// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/status.h"

namespace triode::cache_tool {

// Writes a file as a whole: it is there complete, or as it was before. Compresses it if the name
// ends in ".gz". kUnavailable or kResourceExhausted, with the path and the reason.
Status write_output(const std::string& path, std::string_view bytes);

// A name without folders made of any text: what a file system or a shell would trip over becomes
// '_'.
std::string file_name_of(std::string_view text);

}  // namespace triode::cache_tool
