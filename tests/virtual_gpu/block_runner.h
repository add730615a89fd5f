// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/random.h"
#include "tests/virtual_gpu/block_state.h"
#include "tests/virtual_gpu/launch_options.h"
#include "tests/virtual_gpu/program.h"

namespace triode::vgpu {

// Runs the blocks of one launch, one after another. Lanes of a warp that part ways are run one path
// at a time, the path that is behind first, so that they meet again where the paths join: enough
// for the control flow that compilers make; lanes that wait for each other in a loop time out.
class BlockRunner {
 public:
  BlockRunner(const Program& program, const DeviceMemory& memory, const LaunchOptions& options);

  // Throws Fault, whose message names the block, the warp and the line.
  void run(uint64_t index);
  const LaunchCounts& counts() const { return block_.counts; }

 private:
  void start(Warp& warp);
  uint32_t special_value(SpecialRegister which, uint32_t warp, uint32_t lane) const;
  // Lets every warp that can run do so, until it waits or its time is up. False if none could.
  bool run_warps();
  // Opens a barrier that all its threads have reached. False if the block has ended.
  bool open_barrier();
  void open(int barrier);
  bool run_warp(Warp& warp, uint64_t most);
  uint64_t run_split(Warp& warp, size_t index, uint64_t most);
  void change_flow(Warp& warp, size_t index, uint32_t at, uint32_t taken);
  void execute(Warp& warp, const Instruction& instruction, uint32_t mask);
  uint64_t draw_time();

  const Program& program_;
  const LaunchOptions& options_;
  uint32_t threads_;
  BlockState block_;
  Dim3 place_;  // of the block in the grid
  uint64_t budget_ = 0;
};

}  // namespace triode::vgpu
