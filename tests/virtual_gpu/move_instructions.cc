// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/arithmetic_operations.h"
#include "tests/virtual_gpu/decoder.h"
#include "tests/virtual_gpu/lane_values.h"

namespace triode::vgpu {
namespace {

struct Same {
  template <typename T>
  T operator()(T a) const {
    return a;
  }
};

void move_predicate(Warp& warp, const Instruction& in, uint32_t mask) {
  warp.set_predicate(in.registers[0], warp.predicate(in.registers[1]), mask);
}

// Registers: d, parts from the lowest bits up.
void pack(Warp& warp, const Instruction& in, uint32_t mask) {
  for_each_lane(mask, [&](int l) {
    uint64_t value = 0;
    for (size_t i = in.registers.size() - 1; i >= 1; --i) {
      value = value << in.registers[i].bits | warp.get(in.registers[i], l);
    }
    warp.put(in.registers[0], l, value);
  });
}

// Registers: parts from the lowest bits up (a part "_" may be wider), a. mode[0]: bits of a part.
void unpack(Warp& warp, const Instruction& in, uint32_t mask) {
  for_each_lane(mask, [&](int l) {
    uint64_t value = warp.get(in.registers.back(), l);
    for (size_t i = 0; i + 1 < in.registers.size(); ++i) {
      warp.put(in.registers[i], l, value);
      value >>= in.mode[0];
    }
  });
}

void decode_unpack(Decoder& decoder) {
  const uint32_t parts = decoder.add_vector(0);
  decoder.require(parts == 2 || parts == 4, "a vector of two or four");
  decoder.instruction.mode[0] = static_cast<uint32_t>(decoder.type().bits) / parts;
  decoder.add_source(1, decoder.type());
  decoder.execute_with(unpack);
}

void decode_pack(Decoder& decoder) {
  const int bits = decoder.type().bits;
  const auto parts = static_cast<int>(decoder.operand(1).elements.size());
  decoder.require((parts == 2 || parts == 4) && bits / parts >= 16, "parts of 16 bits or more");
  decoder.add_destination(0, bits);
  decoder.add_vector_source(1, {ValueType::Kind::kUnsigned, bits / parts});
  decoder.execute_with(pack);
}

void decode_mov(Decoder& decoder) {
  const ValueType type = decoder.type();
  if (decoder.operand(0).kind == Operand::Kind::kVector) return decode_unpack(decoder);
  if (decoder.operand(1).kind == Operand::Kind::kVector) return decode_pack(decoder);
  decoder.add_destination(0, type.bits);
  decoder.add_source(1, type);
  decoder.execute_with(type.kind == ValueType::Kind::kPredicate ? Handler(move_predicate)
                                                                : of_unsigned<Unary, Same>(type));
}

// A generic address is the window's base and the offset; global addresses are generic already.
void decode_cvta(Decoder& decoder) {
  const StateSpace space = decoder.space();
  uint64_t base = 0;
  if (space == StateSpace::kShared) base = kSharedWindow;
  if (space == StateSpace::kLocal) base = kLocalWindow;
  decoder.add_destination(0, 64);
  decoder.add_source(1, kU64);
  decoder.add_constant(decoder.has("to") ? 0 - base : base, 64);
  decoder.execute_with(Binary::run<Add, uint64_t>);
}

}  // namespace

void add_move_instructions(DecodeTable& table) {
  table["mov"] = decode_mov;
  table["cvta"] = decode_cvta;
}

}  // namespace triode::vgpu
