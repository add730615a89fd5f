// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstring>

#include "tests/virtual_gpu/decoder.h"
#include "tests/virtual_gpu/lane_values.h"

namespace triode::vgpu {
namespace {

enum ShuffleMode : uint32_t { kUp, kDown, kButterfly, kIndex };
enum VoteMode : uint32_t { kAll, kAny, kUniform, kBallot };

// The lane to read from, and whether it is in reach.
struct ShuffleSource {
  int lane;
  bool is_in_reach;
};

ShuffleSource shuffle_source(uint32_t mode, int lane, int by, uint32_t control) {
  const int clamp = static_cast<int>(control & 31);
  const int segment = static_cast<int>(control >> 8 & 31);
  const int bound = (lane & segment) | (clamp & ~segment);
  switch (mode) {
    case kUp:
      return {lane - by, lane - by >= bound};
    case kDown:
      return {lane + by, lane + by <= bound};
    case kButterfly:
      return {lane ^ by, (lane ^ by) <= bound};
    default: {
      const int from = (lane & segment) | (by & ~segment);
      return {from, from <= bound};
    }
  }
}

// Registers: d, p (may be none), a, b, control, members. mode[0]: ShuffleMode.
void shuffle(Warp& warp, const Instruction& in, uint32_t mask) {
  const int first = std::countr_zero(mask);
  warp.require_members(static_cast<uint32_t>(warp.get(in.registers[5], first)), mask);
  std::array<uint32_t, kLanes> values;
  std::memcpy(values.data(), warp.lanes<uint32_t>(in.registers[2]), sizeof values);
  for_each_lane(mask, [&](int l) {
    const int by = static_cast<int>(warp.get(in.registers[3], l) & 31);
    const auto control = static_cast<uint32_t>(warp.get(in.registers[4], l));
    const ShuffleSource from = shuffle_source(in.mode[0], l, by, control);
    warp.put(in.registers[0], l, values[static_cast<size_t>(from.is_in_reach ? from.lane : l)]);
    if (in.registers[1].bits != 0) warp.put(in.registers[1], l, from.is_in_reach ? 1 : 0);
  });
}

// Registers: d, p, members. mode[0]: VoteMode.
void vote(Warp& warp, const Instruction& in, uint32_t mask) {
  const auto members = static_cast<uint32_t>(warp.get(in.registers[2], std::countr_zero(mask)));
  warp.require_members(members, mask);
  const uint32_t voters = members & mask;
  const uint32_t yes = warp.predicate(in.registers[1]) & voters;
  if (in.mode[0] == kBallot) {
    for_each_lane(mask, [&](int l) { warp.put(in.registers[0], l, yes); });
    return;
  }
  const bool is_all = yes == voters;
  const bool result = in.mode[0] == kAll   ? is_all
                      : in.mode[0] == kAny ? yes != 0
                                           : is_all || yes == 0;
  warp.set_predicate(in.registers[0], result ? kAllLanes : 0, mask);
}

void active_mask(Warp& warp, const Instruction& in, uint32_t mask) {
  for_each_lane(mask, [&](int l) { warp.put(in.registers[0], l, mask); });
}

void decode_shuffle(Decoder& decoder) {
  decoder.add_destination(0, 32);
  decoder.add_second_destination(0);
  decoder.add_sources(1, 4, kU32);
  decoder.instruction.mode[0] =
      decoder.choose({{"up", kUp}, {"down", kDown}, {"bfly", kButterfly}, {"idx", kIndex}});
  decoder.execute_with(shuffle);
}

void decode_vote(Decoder& decoder) {
  decoder.add_destination(0);
  decoder.add_source(1, kPredicate);
  decoder.add_source(2, kU32);
  decoder.instruction.mode[0] =
      decoder.choose({{"all", kAll}, {"any", kAny}, {"uni", kUniform}, {"ballot", kBallot}});
  decoder.execute_with(vote);
}

}  // namespace

void add_warp_instructions(DecodeTable& table) {
  table["shfl"] = decode_shuffle;
  table["vote"] = decode_vote;
  table["activemask"] = [](Decoder& d) {
    d.add_destination(0, 32);
    d.execute_with(active_mask);
  };
}

}  // namespace triode::vgpu
