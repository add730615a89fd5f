// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/snippet.h"

#include <cstring>

#include "tests/virtual_gpu/ptx_parser.h"

namespace triode::vgpu {

std::string snippet_ptx(std::string_view lines) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry test(.param .u64 out, .param .u64 in) {
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;
  .reg .f32 %f<16>; .reg .f64 %d<8>;
  .shared .align 16 .b8 shared[1024];
  ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r0, %tid.x;
  mov.b64 %rd1, 0;
)" + std::string(lines) +
         R"(
  mad.wide.u32 %rd15, %r0, 8, %rd0;
  st.global.u64 [%rd15], %rd1;
  ret;
})";
}

Result<SnippetRun> run_snippet(std::string_view lines, uint32_t threads,
                               const std::vector<uint32_t>& in, uint64_t seed) {
  const PtxModule module = TRIODE_TRY(parse_ptx(snippet_ptx(lines)));
  const Kernel kernel = TRIODE_TRY(Kernel::prepare(module, "test"));
  DeviceMemory memory;
  const size_t in_bytes = in.size() * sizeof(uint32_t);
  const uint64_t addresses[2] = {memory.allocate(threads * sizeof(uint64_t)),
                                 memory.allocate(in_bytes)};
  if (in_bytes > 0) std::memcpy(memory.at(addresses[1], in_bytes), in.data(), in_bytes);
  LaunchOptions options;
  options.block.x = threads;
  options.scheduling_seed = seed;
  options.most_warp_instructions = 100000;
  options.parameters.resize(sizeof addresses);
  std::memcpy(options.parameters.data(), addresses, sizeof addresses);
  SnippetRun run;
  run.fault = kernel.launch(memory, options).fault;
  run.out.resize(threads);
  std::memcpy(run.out.data(), memory.at(addresses[0], threads * sizeof(uint64_t)),
              threads * sizeof(uint64_t));
  return run;
}

}  // namespace triode::vgpu
