// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "tests/virtual_gpu/kernel.h"

namespace triode::vgpu {

// A few lines of PTX, as a whole kernel "test". Its threads find their index in %r0 and the address
// of `out`, 64 bits for each thread, in %rd0; whatever the lines leave in %rd1 goes there. Free to
// use: %r1.., %rd2.., %f.., %d.., %h.., %p.., the static array `shared` of 1 KiB, and a second
// parameter, the address of `in`, in %rd2.
std::string snippet_ptx(std::string_view lines);

// What a snippet left in %rd1 of each thread, or how it failed.
struct SnippetRun {
  std::vector<uint64_t> out;
  std::optional<Fault> fault;
};

// Runs it in one block. `in` is copied to the device, exactly as many bytes as it has.
// An error if the PTX is refused.
Result<SnippetRun> run_snippet(std::string_view lines, uint32_t threads = 32,
                               const std::vector<uint32_t>& in = {}, uint64_t seed = 0);

}  // namespace triode::vgpu
