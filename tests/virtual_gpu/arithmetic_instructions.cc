// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "tests/virtual_gpu/arithmetic_operations.h"
#include "tests/virtual_gpu/decoder.h"

namespace triode::vgpu {
namespace {

template <typename T>
using Twice = std::conditional_t<std::is_signed_v<T>,
                                 std::make_signed_t<typename UnsignedOf<2 * sizeof(T)>::Type>,
                                 typename UnsignedOf<2 * sizeof(T)>::Type>;

// mul.wide and mad.wide. Registers: d, a, b, and c if it is added.
template <bool kAdds>
struct Widening {
  template <typename Operation, typename T>
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    if constexpr (sizeof(T) < 8) {
      using W = Twice<T>;
      Bits<W>* d = warp.lanes<Bits<W>>(in.registers[0]);
      const Bits<T>* a = warp.lanes<Bits<T>>(in.registers[1]);
      const Bits<T>* b = warp.lanes<Bits<T>>(in.registers[2]);
      const Bits<W>* c = kAdds ? warp.lanes<Bits<W>>(in.registers[3]) : nullptr;
      for_each_lane(mask, [=](int l) {
        const auto product = static_cast<Bits<W>>(W(from_bits<T>(a[l])) * W(from_bits<T>(b[l])));
        d[l] = static_cast<Bits<W>>(product + (kAdds ? c[l] : 0));
      });
    }
  }
};

// Floats are rounded to the nearest; no kernel of ours asks for another way.
void require_nearest(const Decoder& decoder) {
  if (!decoder.type().is_float()) return;
  for (const char* modifier : {"rz", "rm", "rp", "sat"}) {
    if (decoder.has(modifier)) decoder.fail("only rounding to nearest is supported");
  }
}

void decode_unary(Decoder& decoder, Handler handler) {
  require_nearest(decoder);
  decoder.add_destination(0, decoder.type().bits);
  decoder.add_source(1, decoder.type());
  decoder.execute_with(handler);
}

void decode_binary(Decoder& decoder, Handler handler) {
  require_nearest(decoder);
  decoder.add_destination(0, decoder.type().bits);
  decoder.add_sources(1, 2, decoder.type());
  decoder.execute_with(handler);
}

void decode_ternary(Decoder& decoder, Handler handler) {
  require_nearest(decoder);
  decoder.add_destination(0, decoder.type().bits);
  decoder.add_sources(1, 3, decoder.type());
  decoder.execute_with(handler);
}

void require_narrow(const Decoder& decoder) {
  decoder.require(decoder.type().is_integer() && decoder.type().bits <= 32,
                  "widening from 16 or 32 bits");
}

void decode_mul(Decoder& decoder) {
  const ValueType type = decoder.type();
  if (!decoder.has("wide")) {
    return decode_binary(decoder, decoder.has("hi") ? of_integer<Binary, MultiplyHigh>(type)
                                                    : of_number<Binary, Multiply>(type));
  }
  require_narrow(decoder);
  decoder.add_destination(0, 2 * type.bits);
  decoder.add_sources(1, 2, type);
  decoder.execute_with(of_integer<Widening<false>, Multiply>(type));
}

void decode_mad(Decoder& decoder) {
  const ValueType type = decoder.type();
  if (decoder.has("hi")) decoder.fail("only .lo and .wide are supported");
  if (!decoder.has("wide")) return decode_ternary(decoder, of_number<Ternary, MultiplyAdd>(type));
  require_narrow(decoder);
  decoder.add_destination(0, 2 * type.bits);
  decoder.add_sources(1, 2, type);
  decoder.add_source(3, {type.kind, 2 * type.bits});
  decoder.execute_with(of_integer<Widening<true>, Multiply>(type));
}

template <typename Operation>
void decode_number(Decoder& decoder) {
  decode_binary(decoder, of_number<Binary, Operation>(decoder.type()));
}

template <typename Operation>
void decode_one_number(Decoder& decoder) {
  decode_unary(decoder, of_number<Unary, Operation>(decoder.type()));
}

template <typename Operation>
void decode_one_float(Decoder& decoder) {
  decode_unary(decoder, of_float<Unary, Operation>(decoder.type()));
}

}  // namespace

void add_arithmetic_instructions(DecodeTable& table) {
  table["add"] = decode_number<Add>;
  table["sub"] = decode_number<Subtract>;
  table["div"] = decode_number<Divide>;
  table["min"] = decode_number<Minimum>;
  table["max"] = decode_number<Maximum>;
  table["rem"] = [](Decoder& d) { decode_binary(d, of_integer<Binary, Remainder>(d.type())); };
  table["mul"] = decode_mul;
  table["mad"] = decode_mad;
  table["fma"] = [](Decoder& d) { decode_ternary(d, of_float<Ternary, MultiplyAdd>(d.type())); };
  table["neg"] = decode_one_number<Negate>;
  table["abs"] = decode_one_number<Absolute>;
  table["sqrt"] = decode_one_float<SquareRoot>;
  table["rcp"] = decode_one_float<Reciprocal>;
  table["ex2"] = decode_one_float<PowerOfTwo>;
}

}  // namespace triode::vgpu
