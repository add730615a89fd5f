// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "tests/virtual_gpu/decoder.h"
#include "tests/virtual_gpu/lane_values.h"

namespace triode::vgpu {
namespace {

void nothing(Warp&, const Instruction&, uint32_t) {}

// Registers: members.
void sync_warp(Warp& warp, const Instruction& in, uint32_t mask) {
  warp.require_members(static_cast<uint32_t>(warp.get(in.registers[0], std::countr_zero(mask))),
                       mask);
}

void decode_barrier(Decoder& decoder) {
  if (decoder.has("warp")) {
    decoder.add_source(0, kU32);
    return decoder.execute_with(sync_warp);
  }
  decoder.require(decoder.has("sync"), "bar.sync");
  for (size_t i = 0; i < decoder.operand_count(); ++i) decoder.add_source(i, kU32);
  decoder.instruction.flow = Flow::kBarrier;
  decoder.execute_with(nothing);
}

// Blocks run one after another and memory is seen in order, so fences have nothing to do.
void decode_nothing(Decoder& decoder) {
  decoder.execute_with(nothing);
}

void decode_exit(Decoder& decoder) {
  decoder.instruction.flow = Flow::kExit;
  decoder.execute_with(nothing);
}

void decode_branch(Decoder& decoder) {
  decoder.instruction.flow = Flow::kBranch;
  decoder.instruction.target = static_cast<uint32_t>(decoder.statement().target);
  decoder.execute_with(nothing);
}

// A cache policy is a hint: any value will do.
void decode_policy(Decoder& decoder) {
  decoder.add_destination(0, 64);
  decoder.execute_with(nothing);
}

}  // namespace

void add_control_instructions(DecodeTable& table) {
  table["bar"] = decode_barrier;
  table["barrier"] = decode_barrier;
  table["bra"] = decode_branch;
  table["ret"] = decode_exit;
  table["exit"] = decode_exit;
  table["createpolicy"] = decode_policy;
  for (const char* name : {"membar", "fence", "nanosleep", "prefetch"})
    table[name] = decode_nothing;
}

}  // namespace triode::vgpu
