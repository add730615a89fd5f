// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "tests/virtual_gpu/decoder.h"
#include "tests/virtual_gpu/lane_values.h"

namespace triode::vgpu {
namespace {

struct And {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <typename T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct CountOnes {
  template <typename T>
  uint32_t operator()(T a) const {
    return static_cast<uint32_t>(std::popcount(a));
  }
};
struct CountLeadingZeros {
  template <typename T>
  uint32_t operator()(T a) const {
    return static_cast<uint32_t>(std::countl_zero(a));
  }
};
struct Reverse {
  template <typename T>
  T operator()(T a) const {
    T reversed = 0;
    for (size_t i = 0; i < 8 * sizeof(T); ++i) {
      reversed = static_cast<T>(reversed << 1 | (a >> i & 1));
    }
    return reversed;
  }
};

// Shifts clamp: by the width or more, nothing but the sign is left.
struct ShiftLeft {
  template <typename T>
  T operator()(T a, uint32_t by) const {
    return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(Wide<T>(a) << by);
  }
};
struct ShiftRight {
  template <typename T>
  T operator()(T a, uint32_t by) const {
    if (by < 8 * sizeof(T)) return static_cast<T>(a >> by);
    return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T(0);
  }
};

struct ExtractField {
  template <typename T>
  T operator()(T a, uint32_t position, uint32_t length) const {
    using U = Bits<T>;
    constexpr uint32_t kWidth = 8 * sizeof(T);
    position &= 255;
    length &= 255;
    if (length == 0) return 0;
    const uint32_t sign_at = std::min(position + length - 1, kWidth - 1);
    const bool is_negative = std::is_signed_v<T> && (U(a) >> sign_at & 1) != 0;
    const U value = position < kWidth ? static_cast<U>(U(a) >> position) : U(0);
    U exists = 0;  // the bits of the field that are bits of a
    if (position < kWidth) {
      exists = length >= kWidth - position ? static_cast<U>(static_cast<U>(-1) >> position)
                                           : static_cast<U>((U(1) << length) - 1);
    }
    return static_cast<T>((value & exists) | (is_negative ? static_cast<U>(~exists) : U(0)));
  }
};

// Registers: d, a, amount (always 32 bits).
struct ShiftBy {
  template <typename Operation, typename T>
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    Bits<T>* d = warp.lanes<Bits<T>>(in.registers[0]);
    const Bits<T>* a = warp.lanes<Bits<T>>(in.registers[1]);
    const uint32_t* by = warp.lanes<uint32_t>(in.registers[2]);
    for_each_lane(mask, [=](int l) { d[l] = to_bits<T>(Operation()(from_bits<T>(a[l]), by[l])); });
  }
};

// Registers: d, a, position, length.
struct Field {
  template <typename Operation, typename T>
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    Bits<T>* d = warp.lanes<Bits<T>>(in.registers[0]);
    const Bits<T>* a = warp.lanes<Bits<T>>(in.registers[1]);
    const uint32_t* at = warp.lanes<uint32_t>(in.registers[2]);
    const uint32_t* length = warp.lanes<uint32_t>(in.registers[3]);
    for_each_lane(
        mask, [=](int l) { d[l] = to_bits<T>(Operation()(from_bits<T>(a[l]), at[l], length[l])); });
  }
};

// An operation on 32-bit words: d, a, b, c.
template <typename Operation>
void run_on_words(Warp& warp, const Instruction& in, uint32_t mask) {
  uint32_t* d = warp.lanes<uint32_t>(in.registers[0]);
  const uint32_t* a = warp.lanes<uint32_t>(in.registers[1]);
  const uint32_t* b = warp.lanes<uint32_t>(in.registers[2]);
  const uint32_t* c = warp.lanes<uint32_t>(in.registers[3]);
  const uint32_t mode = in.mode[0];
  for_each_lane(mask, [=](int l) { d[l] = Operation()(a[l], b[l], c[l], mode); });
}

struct Permute {  // prmt: each nibble of c picks a byte of b:a, or its sign
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c, uint32_t) const {
    const uint64_t pool = uint64_t{b} << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t selector = c >> (4 * i) & 15;
      const uint32_t byte = static_cast<uint32_t>(pool >> (8 * (selector & 7))) & 255;
      const uint32_t sign = (byte & 128) != 0 ? 255u : 0u;
      result |= ((selector & 8) != 0 ? sign : byte) << (8 * i);
    }
    return result;
  }
};

struct Logic3 {  // lop3: bit i of the table is the result for inputs i
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c, uint32_t table) const {
    uint32_t result = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      if ((table >> i & 1) == 0) continue;
      result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
    }
    return result;
  }
};

template <bool kLeft>
struct FunnelShift {  // shf: 32 bits of b:a
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c, uint32_t clamps) const {
    const uint32_t by = clamps != 0 ? std::min(c, 32u) : c & 31;
    const uint64_t value = uint64_t{b} << 32 | a;
    return static_cast<uint32_t>(kLeft ? value << by >> 32 : value >> by);
  }
};

// Registers: d, a, b, position, length.
void insert_field(Warp& warp, const Instruction& in, uint32_t mask) {
  uint32_t* d = warp.lanes<uint32_t>(in.registers[0]);
  const uint32_t* a = warp.lanes<uint32_t>(in.registers[1]);
  const uint32_t* b = warp.lanes<uint32_t>(in.registers[2]);
  const uint32_t* at = warp.lanes<uint32_t>(in.registers[3]);
  const uint32_t* length = warp.lanes<uint32_t>(in.registers[4]);
  for_each_lane(mask, [=](int l) {
    const uint32_t position = at[l] & 255;
    const uint32_t bits = std::min(length[l] & 255, 32u);
    const auto ones = static_cast<uint32_t>((uint64_t{1} << bits) - 1);
    const uint32_t field = position > 31 ? 0 : ones << position;
    d[l] = (b[l] & ~field) | (position > 31 ? 0 : (a[l] << position) & field);
  });
}

template <typename Operation>
void logic_on_predicates(Warp& warp, const Instruction& in, uint32_t mask) {
  const uint32_t a = warp.predicate(in.registers[1]);
  const uint32_t b = warp.predicate(in.registers[2]);
  warp.set_predicate(in.registers[0], Operation()(a, b), mask);
}

void not_predicate(Warp& warp, const Instruction& in, uint32_t mask) {
  warp.set_predicate(in.registers[0], ~warp.predicate(in.registers[1]), mask);
}

template <typename Operation>
void decode_logic(Decoder& decoder) {
  const ValueType type = decoder.type();
  decoder.add_destination(0, type.bits);
  decoder.add_sources(1, 2, type);
  decoder.execute_with(type.kind == ValueType::Kind::kPredicate
                           ? Handler(logic_on_predicates<Operation>)
                           : of_unsigned<Binary, Operation>(type));
}

void decode_not(Decoder& decoder) {
  const ValueType type = decoder.type();
  decoder.add_destination(0, type.bits);
  decoder.add_source(1, type);
  decoder.execute_with(type.kind == ValueType::Kind::kPredicate ? Handler(not_predicate)
                                                                : of_unsigned<Unary, Not>(type));
}

template <typename Operation>
void decode_shift(Decoder& decoder) {
  decoder.add_destination(0, decoder.type().bits);
  decoder.add_source(1, decoder.type());
  decoder.add_source(2, kU32);
  decoder.execute_with(of_integer<ShiftBy, Operation>(decoder.type()));
}

template <typename Operation>
void decode_count(Decoder& decoder) {
  decoder.require(decoder.type().bits >= 32, "32 or 64 bits");
  decoder.add_destination(0, 32);
  decoder.add_source(1, decoder.type());
  decoder.execute_with(decoder.type().bits == 32 ? Unary::run<Operation, uint32_t>
                                                 : Unary::run<Operation, uint64_t>);
}

void decode_bfe(Decoder& decoder) {
  decoder.require(decoder.type().bits >= 32, "32 or 64 bits");
  decoder.add_destination(0, decoder.type().bits);
  decoder.add_source(1, decoder.type());
  decoder.add_sources(2, 2, kU32);
  decoder.execute_with(of_integer<Field, ExtractField>(decoder.type()));
}

void decode_words(Decoder& decoder, int sources, uint32_t mode, Handler handler) {
  decoder.require(decoder.type().bits == 32, "32 bits");
  decoder.add_destination(0, 32);
  decoder.add_sources(1, sources, kU32);
  decoder.instruction.mode[0] = mode;
  decoder.execute_with(handler);
}

}  // namespace

void add_bit_instructions(DecodeTable& table) {
  table["and"] = decode_logic<And>;
  table["or"] = decode_logic<Or>;
  table["xor"] = decode_logic<Xor>;
  table["not"] = decode_not;
  table["shl"] = decode_shift<ShiftLeft>;
  table["shr"] = decode_shift<ShiftRight>;
  table["popc"] = decode_count<CountOnes>;
  table["clz"] = decode_count<CountLeadingZeros>;
  table["brev"] = [](Decoder& d) {
    d.add_destination(0, d.type().bits);
    d.add_source(1, d.type());
    d.execute_with(of_unsigned<Unary, Reverse>(d.type()));
  };
  table["bfe"] = decode_bfe;
  table["bfi"] = [](Decoder& d) { decode_words(d, 4, 0, insert_field); };
  table["prmt"] = [](Decoder& d) {
    d.require(d.statement().words.size() == 2, "the default mode");
    decode_words(d, 3, 0, run_on_words<Permute>);
  };
  table["lop3"] = [](Decoder& d) { decode_words(d, 3, d.immediate(4), run_on_words<Logic3>); };
  table["shf"] = [](Decoder& d) {
    decode_words(d, 3, d.has("clamp") ? 1 : 0,
                 d.has("l") ? run_on_words<FunnelShift<true>> : run_on_words<FunnelShift<false>>);
  };
}

}  // namespace triode::vgpu
