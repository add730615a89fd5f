// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/target.h"
#include "jit/x86/vector_isa.h"

namespace triode {

struct CacheSizes {
  int64_t l1_bytes = 0;  // per core, data
  int64_t l2_bytes = 0;  // per core
  int64_t l3_bytes = 0;  // shared; 0 if there is none
};

// Sizes as sysfs below `root` tells them for the lowest-numbered core that is online; a level it
// does not list is asked of the C library. Always that core's, wherever the caller runs and may
// run: they are part of the target, which programs on cores of two kinds must agree on.
CacheSizes read_cache_sizes(const std::filesystem::path& root = "/");

// Name of the processor in /proc/cpuinfo below `root`, with its family, model and stepping: under a
// hypervisor the name alone is often the same for several generations. "unknown x86-64" if not
// there.
std::string read_processor_name(const std::filesystem::path& root = "/");

// The machine below `root` as a target for code of these widths on `cores` cores. Its isa is the
// widest of them; "none" if there are none. Reads files: ask once.
Target detect_cpu_target(std::span<const x86::IsaId> isas, int32_t cores,
                         const std::filesystem::path& root = "/");

}  // namespace triode
