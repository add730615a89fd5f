// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "tests/virtual_gpu/decoder.h"
#include "tests/virtual_gpu/lane_values.h"

namespace triode::vgpu {
namespace {

enum Comparison : uint32_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan
};
enum Combination : uint32_t { kAlone, kAnd, kOr, kXor };

// The unordered ones (kEqu and on) are true when either side is a NaN.
template <typename T>
bool compare(Comparison how, T a, T b) {
  const bool unordered = !kIsInteger<T> && (a != a || b != b);
  switch (how) {
    case kEq:
      return a == b;
    case kNe:
      return a != b && !unordered;
    case kLt:
      return a < b;
    case kLe:
      return a <= b;
    case kGt:
      return a > b;
    case kGe:
      return a >= b;
    case kEqu:
      return a == b || unordered;
    case kNeu:
      return a != b;
    case kLtu:
      return !(a >= b);
    case kLeu:
      return !(a > b);
    case kGtu:
      return !(a <= b);
    case kGeu:
      return !(a < b);
    case kNum:
      return !unordered;
    case kNan:
      return unordered;
  }
  return false;
}

uint32_t combine(uint32_t how, uint32_t value, uint32_t with) {
  switch (how) {
    case kAnd:
      return value & with;
    case kOr:
      return value | with;
    case kXor:
      return value ^ with;
    default:
      return value;
  }
}

// Registers: p, q (may be none), a, b, and c if mode[1] combines. mode[0]: the comparison.
struct SetPredicate {
  template <typename Unused, typename T>
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    const Bits<T>* a = warp.lanes<Bits<T>>(in.registers[2]);
    const Bits<T>* b = warp.lanes<Bits<T>>(in.registers[3]);
    uint32_t holds = 0;
    for_each_lane(mask, [&](int l) {
      const bool one =
          compare(static_cast<Comparison>(in.mode[0]), from_bits<T>(a[l]), from_bits<T>(b[l]));
      holds |= (one ? 1u : 0u) << l;
    });
    const uint32_t with = in.mode[1] == kAlone ? 0 : warp.predicate(in.registers[4]);
    warp.set_predicate(in.registers[0], combine(in.mode[1], holds, with), mask);
    if (in.registers[1].bits != 0) {
      warp.set_predicate(in.registers[1], combine(in.mode[1], ~holds, with), mask);
    }
  }
};

// Registers: d, a, b, p.
struct Select {
  template <typename Unused, typename T>
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    T* d = warp.lanes<T>(in.registers[0]);
    const T* a = warp.lanes<T>(in.registers[1]);
    const T* b = warp.lanes<T>(in.registers[2]);
    const uint32_t first = warp.predicate(in.registers[3]);
    for_each_lane(mask, [=](int l) { d[l] = (first >> l & 1) != 0 ? a[l] : b[l]; });
  }
};

Comparison comparison_of(const Decoder& decoder) {
  constexpr std::array<std::pair<std::string_view, Comparison>, 18> kNames = {{{"eq", kEq},
                                                                               {"ne", kNe},
                                                                               {"lt", kLt},
                                                                               {"le", kLe},
                                                                               {"gt", kGt},
                                                                               {"ge", kGe},
                                                                               {"lo", kLt},
                                                                               {"ls", kLe},
                                                                               {"hi", kGt},
                                                                               {"hs", kGe},
                                                                               {"equ", kEqu},
                                                                               {"neu", kNeu},
                                                                               {"ltu", kLtu},
                                                                               {"leu", kLeu},
                                                                               {"gtu", kGtu},
                                                                               {"geu", kGeu},
                                                                               {"num", kNum},
                                                                               {"nan", kNan}}};
  if (decoder.statement().words.size() > 1) {
    for (const auto& [name, comparison] : kNames) {
      if (decoder.statement().words[1] == name) return comparison;
    }
  }
  decoder.fail("unknown comparison");
}

void decode_setp(Decoder& decoder) {
  const ValueType type = decoder.type();
  decoder.add_destination(0, 1);
  decoder.add_second_destination(0);
  decoder.add_sources(1, 2, type);
  decoder.instruction.mode[0] = comparison_of(decoder);
  if (decoder.operand_count() > 3) {
    decoder.instruction.mode[1] = decoder.choose({{"and", kAnd}, {"or", kOr}, {"xor", kXor}});
    decoder.add_source(3, kPredicate);
  }
  decoder.execute_with(of_number<SetPredicate, void>(type));
}

void decode_selp(Decoder& decoder) {
  const ValueType type = decoder.type();
  decoder.add_destination(0, type.bits);
  decoder.add_sources(1, 2, type);
  decoder.add_source(3, kPredicate);
  decoder.execute_with(of_unsigned<Select, void>(type));
}

}  // namespace

void add_predicate_instructions(DecodeTable& table) {
  table["setp"] = decode_setp;
  table["selp"] = decode_selp;
}

}  // namespace triode::vgpu
