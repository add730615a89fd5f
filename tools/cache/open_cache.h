// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cache/cache.h"
#include "core/status.h"

namespace triode::cache_tool {

// A handle that sees what is there now and works beside a writer.
Result<std::unique_ptr<Cache>> open_to_read(const std::string& path);

// The one handle that writes; kUnavailable, with the owner's pid, while another process has it.
Result<std::unique_ptr<Cache>> open_to_write(const std::string& path);

}  // namespace triode::cache_tool
