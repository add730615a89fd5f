// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/block_runner.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <string>

#include "tests/virtual_gpu/fault.h"

namespace triode::vgpu {
namespace {

constexpr uint64_t kNoLimit = ~uint64_t{0};

// Joins splits that have met, and picks the one that is furthest behind; null if all wait.
Split* pick_split(std::vector<Split>& splits) {
  for (size_t i = 0; i < splits.size(); ++i) {
    for (size_t j = splits.size(); j-- > i + 1;) {
      if (splits[i].at != splits[j].at || splits[i].barrier >= 0 || splits[j].barrier >= 0)
        continue;
      splits[i].mask |= splits[j].mask;
      splits.erase(splits.begin() + static_cast<ptrdiff_t>(j));
    }
  }
  Split* best = nullptr;
  for (Split& split : splits) {
    if (split.barrier < 0 && (best == nullptr || split.at < best->at)) best = &split;
  }
  return best;
}

// Where a split must stop, so as not to pass another that it could join.
uint32_t meeting_point(const std::vector<Split>& splits, size_t index) {
  uint32_t stop = ~0u;
  for (size_t i = 0; i < splits.size(); ++i) {
    if (i != index && splits[i].barrier < 0) stop = std::min(stop, splits[i].at);
  }
  return stop;
}

}  // namespace

BlockRunner::BlockRunner(const Program& program, const DeviceMemory& memory,
                         const LaunchOptions& options)
    : program_(program),
      options_(options),
      threads_(static_cast<uint32_t>(options.block.count())),
      block_(memory, options.parameters,
             program.static_shared_bytes + options.dynamic_shared_bytes) {
  block_.is_random = options.scheduling_seed != 0;
  const uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  block_.warps.reserve(warps);
  for (uint32_t i = 0; i < warps; ++i) block_.warps.emplace_back(block_, i, program.local_bytes);
}

void BlockRunner::run(uint64_t index) {
  const Dim3& grid = options_.grid;
  place_ = {static_cast<uint32_t>(index % grid.x), static_cast<uint32_t>(index / grid.x % grid.y),
            static_cast<uint32_t>(index / grid.x / grid.y)};
  block_.random = Random(options_.scheduling_seed + index);
  block_.shared.reset();
  budget_ = options_.most_warp_instructions;
  for (Warp& warp : block_.warps) start(warp);
  while (run_warps() || open_barrier()) {
  }
}

void BlockRunner::start(Warp& warp) {
  warp.registers = program_.image;
  warp.groups.clear();
  warp.open_group.clear();
  const uint32_t lanes = std::min<uint32_t>(kLanes, threads_ - warp.index() * kLanes);
  warp.live = lanes == kLanes ? kAllLanes : (1u << lanes) - 1;
  warp.splits.assign(1, {0, warp.live});
  for (const auto& [which, place] : program_.specials) {
    uint32_t* values = warp.lanes<uint32_t>(place);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      values[lane] = special_value(which, warp.index(), lane);
    }
  }
}

// Long because it is a table: one line for each register.
uint32_t BlockRunner::special_value(SpecialRegister which, uint32_t warp, uint32_t lane) const {
  const Dim3& block = options_.block;
  const uint32_t thread = warp * kLanes + lane;
  switch (which) {
    case SpecialRegister::kTidX:
      return thread % block.x;
    case SpecialRegister::kTidY:
      return thread / block.x % block.y;
    case SpecialRegister::kTidZ:
      return thread / block.x / block.y;
    case SpecialRegister::kNtidX:
      return block.x;
    case SpecialRegister::kNtidY:
      return block.y;
    case SpecialRegister::kNtidZ:
      return block.z;
    case SpecialRegister::kCtaidX:
      return place_.x;
    case SpecialRegister::kCtaidY:
      return place_.y;
    case SpecialRegister::kCtaidZ:
      return place_.z;
    case SpecialRegister::kNctaidX:
      return options_.grid.x;
    case SpecialRegister::kNctaidY:
      return options_.grid.y;
    case SpecialRegister::kNctaidZ:
      return options_.grid.z;
    case SpecialRegister::kLaneId:
      return lane;
    case SpecialRegister::kWarpId:
      return warp;
    case SpecialRegister::kNwarpId:
      return static_cast<uint32_t>(block_.warps.size());
    case SpecialRegister::kLaneMaskEq:
      return 1u << lane;
    case SpecialRegister::kLaneMaskLt:
      return (1u << lane) - 1;
    case SpecialRegister::kLaneMaskLe:
      return (2u << lane) - 1;
    case SpecialRegister::kLaneMaskGt:
      return ~((2u << lane) - 1);
    case SpecialRegister::kLaneMaskGe:
      return ~((1u << lane) - 1);
  }
  return 0;
}

// At random, short times alternate with no limit: short ones alone keep the warps nearly in step
// and hide races.
uint64_t BlockRunner::draw_time() {
  if (!block_.is_random || block_.random.below(2) == 0) return kNoLimit;
  return 1 + block_.random.below(64);
}

bool BlockRunner::run_warps() {
  std::vector<size_t> order(block_.warps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (block_.is_random) {
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[block_.random.below(i)]);
    }
  }
  bool any = false;
  for (const size_t index : order) {
    any = run_warp(block_.warps[index], draw_time()) || any;
    if (any && block_.is_random && block_.random.below(2) == 0) break;  // the others starve a while
  }
  return any;
}

bool BlockRunner::open_barrier() {
  struct Waiting {
    uint32_t arrived = 0;
    uint32_t expected = 0;
  };
  std::map<int, Waiting> barriers;
  uint32_t live = 0;
  for (const Warp& warp : block_.warps) {
    live += static_cast<uint32_t>(std::popcount(warp.live));
    for (const Split& split : warp.splits) {
      barriers[split.barrier].arrived += static_cast<uint32_t>(std::popcount(split.mask));
      barriers[split.barrier].expected = split.expected;
    }
  }
  if (live == 0) return false;
  for (const auto& [id, waiting] : barriers) {
    if (waiting.arrived < (waiting.expected != 0 ? waiting.expected : live)) continue;
    open(id);
    return true;
  }
  throw Fault{FaultKind::kDeadlock, std::to_string(live) + " threads live, and none can go on"};
}

void BlockRunner::open(int barrier) {
  for (Warp& warp : block_.warps) {
    for (Split& split : warp.splits) {
      if (split.barrier == barrier) split.barrier = -1;
    }
  }
  block_.shared.barrier();
  ++block_.counts.barriers;
}

bool BlockRunner::run_warp(Warp& warp, uint64_t most) {
  bool any = false;
  while (most > 0) {
    Split* split = pick_split(warp.splits);
    if (split == nullptr) return any;
    any = true;
    const uint64_t ran = run_split(warp, static_cast<size_t>(split - warp.splits.data()), most);
    most -= std::min(ran, most);
  }
  return any;
}

// Runs one split until it meets another, waits, ends, diverges, or has used its time; returns how
// many instructions it ran.
uint64_t BlockRunner::run_split(Warp& warp, size_t index, uint64_t most) {
  uint32_t at = warp.splits[index].at;
  const uint32_t mask = warp.splits[index].mask;
  const uint32_t stop = meeting_point(warp.splits, index);
  uint64_t ran = 0;
  bool is_changed = false;
  while (at < stop && ran < most && !is_changed) {
    const Instruction& instruction = program_.code[at];
    const uint32_t taken = instruction.is_guarded ? mask & warp.predicate(instruction.guard) : mask;
    ++ran;
    if (instruction.flow == Flow::kNext || taken == 0) {
      execute(warp, instruction, taken);
      ++at;
    } else if (instruction.flow == Flow::kBranch && taken == mask) {
      execute(warp, instruction, 0);
      at = instruction.target;
    } else {
      change_flow(warp, index, at, taken);
      is_changed = true;
    }
  }
  if (!is_changed) warp.splits[index].at = at;
  block_.counts.warp_instructions += ran;
  return ran;
}

void BlockRunner::execute(Warp& warp, const Instruction& instruction, uint32_t mask) {
  try {
    if (budget_-- == 0) throw Fault{FaultKind::kTimeout, "the budget of instructions is used up"};
    if (mask == 0 || instruction.flow != Flow::kNext) return;
    if (instruction.is_collective && mask != warp.live) {
      throw Fault{FaultKind::kBadInstruction, "reached by a part of the warp only"};
    }
    instruction.execute(warp, instruction, mask);
  } catch (Fault& fault) {
    fault.message += " [block " + std::to_string(place_.x) + ',' + std::to_string(place_.y) + ',' +
                     std::to_string(place_.z) + ", warp " + std::to_string(warp.index()) +
                     ", ptx line " + std::to_string(instruction.line) + ']';
    throw;
  }
}

// A branch taken by some lanes only, an exit, or a barrier.
void BlockRunner::change_flow(Warp& warp, size_t index, uint32_t at, uint32_t taken) {
  const Instruction& instruction = program_.code[at];
  std::vector<Split>& splits = warp.splits;
  const uint32_t mask = splits[index].mask;
  execute(warp, instruction, 0);  // counts
  splits[index] = {at + 1, mask & ~taken};
  if (instruction.flow == Flow::kBranch) {
    splits.push_back({instruction.target, taken});
    return;
  }
  if (instruction.flow == Flow::kBarrier) {
    const auto operand = [&](size_t i) {
      if (instruction.registers.size() <= i) return uint64_t{0};
      return warp.get(instruction.registers[i], std::countr_zero(taken));
    };
    splits.push_back(
        {at + 1, taken, static_cast<int>(operand(0)), static_cast<uint32_t>(operand(1))});
  } else {
    warp.live &= ~taken;
  }
  if (splits[index].mask == 0) splits.erase(splits.begin() + static_cast<ptrdiff_t>(index));
}

}  // namespace triode::vgpu
