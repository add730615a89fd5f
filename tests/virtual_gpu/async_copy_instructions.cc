// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tests/virtual_gpu/block_state.h"
#include "tests/virtual_gpu/decoder.h"
#include "tests/virtual_gpu/fault.h"
#include "tests/virtual_gpu/lane_values.h"

namespace triode::vgpu {
namespace {

// cp.async: a copy may land at any time between its issue and the wait for its group.
// Registers: destination, source, valid bytes. mode: bytes, offset of the destination.
void copy_async(Warp& warp, const Instruction& in, uint32_t mask) {
  const bool is_early = warp.block().lands_early();
  for_each_lane(mask, [&](int l) {
    const auto valid = static_cast<uint32_t>(warp.get(in.registers[2], l));
    AsyncCopy copy = {};
    copy.destination = static_cast<uint32_t>(warp.get(in.registers[0], l)) + in.mode[1];
    copy.size_bytes = static_cast<uint16_t>(in.mode[0]);
    copy.valid_bytes = static_cast<uint16_t>(std::min(valid, in.mode[0]));
    copy.source = warp.get(in.registers[1], l) + static_cast<uint64_t>(in.offset);
    // Faults come at issue, where the culprit is known. A copy of nothing may have any address.
    warp.touch(StateSpace::kShared, copy.destination, copy.size_bytes, Access::kWrite, l);
    if (copy.valid_bytes > 0 && copy.source % copy.size_bytes != 0) {
      throw Fault{FaultKind::kMisalignedAddress,
                  "the source of cp.async is not aligned to " + std::to_string(copy.size_bytes)};
    }
    for (uint32_t i = 0; i < copy.valid_bytes; ++i) {
      warp.touch(StateSpace::kGlobal, copy.source + i, 1, Access::kRead, l);
    }
    if (is_early) {
      warp.land({&copy, 1});
    } else {
      warp.open_group.push_back(copy);
    }
  });
}

void commit_group(Warp& warp, const Instruction&, uint32_t) {
  warp.groups.push_back(std::exchange(warp.open_group, {}));
}

// mode[0]: how many of the newest groups may stay under way.
void wait_group(Warp& warp, const Instruction& in, uint32_t) {
  while (warp.groups.size() > in.mode[0]) {
    warp.land(warp.groups.front());
    warp.groups.pop_front();
  }
}

void wait_all(Warp& warp, const Instruction& in, uint32_t mask) {
  commit_group(warp, in, mask);
  while (!warp.groups.empty()) {
    warp.land(warp.groups.front());
    warp.groups.pop_front();
  }
}

void decode_copy(Decoder& decoder) {
  decoder.require(decoder.has("shared") && decoder.has("global"), "global to shared");
  const auto to_offset = static_cast<uint32_t>(decoder.add_address(0));
  decoder.instruction.offset = decoder.add_address(1);
  const uint32_t bytes = decoder.immediate(2);
  decoder.require(bytes == 4 || bytes == 8 || bytes == 16, "4, 8 or 16 bytes");
  decoder.instruction.mode = {bytes, to_offset, 0, 0};
  const size_t without_valid = decoder.has("L2::cache_hint") ? 4 : 3;
  if (decoder.operand_count() > without_valid) {
    decoder.add_source(3, kU32);
  } else {
    decoder.add_constant(bytes, 32);
  }
  decoder.execute_with(copy_async);
}

void decode_cp(Decoder& decoder) {
  decoder.require(decoder.has("async") && !decoder.has("bulk") && !decoder.has("mbarrier"),
                  "cp.async of the sm_80 kind");
  if (decoder.has("commit_group")) return decoder.execute_with(commit_group);
  if (decoder.has("wait_all")) return decoder.execute_with(wait_all);
  if (!decoder.has("wait_group")) return decode_copy(decoder);
  decoder.instruction.mode[0] = decoder.immediate(0);
  decoder.execute_with(wait_group);
}

}  // namespace

void add_async_copy_instructions(DecodeTable& table) {
  table["cp"] = decode_cp;
}

}  // namespace triode::vgpu
