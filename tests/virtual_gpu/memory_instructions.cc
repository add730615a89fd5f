// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tests/virtual_gpu/arithmetic_operations.h"
#include "tests/virtual_gpu/decoder.h"
#include "tests/virtual_gpu/lane_values.h"

namespace triode::vgpu {
namespace {

// Loads and stores. Registers: base, values. mode: how many values, state space, is signed.
template <typename T>
void load(Warp& warp, const Instruction& in, uint32_t mask) {
  const uint32_t count = in.mode[0];
  const auto space = static_cast<StateSpace>(in.mode[1]);
  for_each_lane(mask, [&](int l) {
    const uint64_t address = warp.get(in.registers[0], l) + static_cast<uint64_t>(in.offset);
    const std::byte* bytes = warp.touch(space, address, sizeof(T) * count, Access::kRead, l);
    for (uint32_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
      const auto extended = static_cast<int64_t>(static_cast<std::make_signed_t<T>>(value));
      warp.put(in.registers[1 + i], l, in.mode[2] != 0 ? static_cast<uint64_t>(extended) : value);
    }
  });
}

template <typename T>
void store(Warp& warp, const Instruction& in, uint32_t mask) {
  const uint32_t count = in.mode[0];
  const auto space = static_cast<StateSpace>(in.mode[1]);
  for_each_lane(mask, [&](int l) {
    const uint64_t address = warp.get(in.registers[0], l) + static_cast<uint64_t>(in.offset);
    std::byte* bytes = warp.touch(space, address, sizeof(T) * count, Access::kWrite, l);
    for (uint32_t i = 0; i < count; ++i) {
      const T value = static_cast<T>(warp.get(in.registers[1 + i], l));
      std::memcpy(bytes + i * sizeof(T), &value, sizeof(T));
    }
  });
}

enum AtomicOperation : uint32_t { kAdd, kMin, kMax, kExchange, kCompareAndSwap, kAnd, kOr, kXor };

template <typename T>
T apply(uint32_t operation, T old, T b, T c) {
  switch (operation) {
    case kAdd:
      return Add()(old, b);
    case kMin:
      return Minimum()(old, b);
    case kMax:
      return Maximum()(old, b);
    case kExchange:
      return b;
    case kCompareAndSwap:
      return old == b ? c : old;
    default:
      break;
  }
  if constexpr (kIsInteger<T>) {
    if (operation == kAnd) return static_cast<T>(old & b);
    if (operation == kOr) return static_cast<T>(old | b);
    return static_cast<T>(old ^ b);
  } else {
    return old;
  }
}

// Registers: base, d (none for red), b, c if there is one. mode: operation, state space.
struct Atomic {
  template <typename Unused, typename T>
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    const auto space = static_cast<StateSpace>(in.mode[1]);
    for_each_lane(mask, [&](int l) {
      const uint64_t address = warp.get(in.registers[0], l) + static_cast<uint64_t>(in.offset);
      std::byte* bytes = warp.touch_atomically(space, address, sizeof(T), l);
      const auto value_of = [&](Register r) {
        return from_bits<T>(static_cast<Bits<T>>(warp.get(r, l)));
      };
      Bits<T> old;
      std::memcpy(&old, bytes, sizeof old);
      const T b = value_of(in.registers[2]);
      const T c = value_of(in.registers.back());
      const Bits<T> result = to_bits<T>(apply<T>(in.mode[0], from_bits<T>(old), b, c));
      std::memcpy(bytes, &result, sizeof result);
      if (in.registers[1].bits != 0) warp.put(in.registers[1], l, old);
    });
  }
};

template <bool kLoads>
Handler transfer_of(int bits) {
  switch (bits) {
    case 8:
      return kLoads ? load<uint8_t> : store<uint8_t>;
    case 16:
      return kLoads ? load<uint16_t> : store<uint16_t>;
    case 32:
      return kLoads ? load<uint32_t> : store<uint32_t>;
    case 64:
      return kLoads ? load<uint64_t> : store<uint64_t>;
    default:
      return nullptr;
  }
}

// "v4" must stand with four registers, and no vector with one.
void check_vector(const Decoder& decoder, uint32_t count) {
  const uint32_t named = decoder.has("v4") ? 4 : decoder.has("v2") ? 2 : 1;
  if (count != named) decoder.fail("the vector has the wrong number of registers");
}

void decode_load(Decoder& decoder) {
  const ValueType type = decoder.type();
  decoder.instruction.offset = decoder.add_address(1);
  const uint32_t count = decoder.add_vector(0);
  check_vector(decoder, count);
  decoder.instruction.mode = {count, static_cast<uint32_t>(decoder.space()),
                              type.kind == ValueType::Kind::kSigned ? 1u : 0u, 0};
  decoder.execute_with(transfer_of<true>(type.bits));
}

void decode_store(Decoder& decoder) {
  const ValueType type = decoder.type();
  decoder.instruction.offset = decoder.add_address(0);
  const uint32_t count = decoder.add_vector_source(1, {type.kind, std::max(type.bits, 16)});
  check_vector(decoder, count);
  decoder.instruction.mode = {count, static_cast<uint32_t>(decoder.space()), 0, 0};
  decoder.execute_with(transfer_of<false>(type.bits));
}

void decode_atomic(Decoder& decoder) {
  const bool returns = decoder.statement().words[0] == "atom";
  const ValueType type = decoder.type();
  if (decoder.has("v2") || decoder.has("v4")) decoder.fail("vectors are not supported");
  decoder.instruction.offset = decoder.add_address(returns ? 1 : 0);
  if (returns) {
    decoder.add_destination(0);
  } else {
    decoder.instruction.registers.push_back({});
  }
  const uint32_t operation = decoder.choose({{"add", kAdd},
                                             {"min", kMin},
                                             {"max", kMax},
                                             {"exch", kExchange},
                                             {"cas", kCompareAndSwap},
                                             {"and", kAnd},
                                             {"or", kOr},
                                             {"xor", kXor}});
  decoder.require(!type.is_float() || operation <= kCompareAndSwap, "bit logic on integers");
  decoder.add_sources(returns ? 2 : 1, operation == kCompareAndSwap ? 2 : 1, type);
  decoder.instruction.mode = {operation, static_cast<uint32_t>(decoder.space()), 0, 0};
  decoder.execute_with(of_number<Atomic, void>(type));
}

}  // namespace

void add_memory_instructions(DecodeTable& table) {
  table["ld"] = decode_load;
  table["st"] = decode_store;
  table["atom"] = decode_atomic;
  table["red"] = decode_atomic;
}

}  // namespace triode::vgpu
