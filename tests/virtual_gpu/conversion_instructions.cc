// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/virtual_gpu/decoder.h"
#include "tests/virtual_gpu/lane_values.h"

namespace triode::vgpu {
namespace {

using Kind = ValueType::Kind;

// What stands in mode[2] besides the rounding.
constexpr uint32_t kToIntegral = 256;
constexpr uint32_t kSaturates = 512;
constexpr uint32_t kClampsNegative = 1024;  // .relu

uint32_t pack_type(ValueType type) {
  return static_cast<uint32_t>(type.kind) | static_cast<uint32_t>(type.bits) << 8;
}
ValueType unpack_type(uint32_t packed) {
  return {static_cast<Kind>(packed & 255), static_cast<int>(packed >> 8)};
}

double decode_float(ValueType type, uint64_t bits) {
  switch (type.kind) {
    case Kind::kF16:
      return f16_to_float(static_cast<uint16_t>(bits));
    case Kind::kBf16:
      return bf16_to_float(static_cast<uint16_t>(bits));
    case Kind::kTf32:
      return tf32_to_float(static_cast<uint32_t>(bits));
    default:
      return type.bits == 32 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                             : std::bit_cast<double>(bits);
  }
}

uint64_t encode_float(ValueType type, double value, Rounding mode) {
  switch (type.kind) {
    case Kind::kF16:
      return to_f16(value, mode);
    case Kind::kBf16:
      return to_bf16(value, mode);
    case Kind::kTf32:
      return to_tf32(value, mode);
    default:
      return type.bits == 64 ? std::bit_cast<uint64_t>(value) : round_to_format<8, 23>(value, mode);
  }
}

double round_to_integral(double value, Rounding mode) {
  switch (mode) {
    case Rounding::kZero:
      return std::trunc(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kUp:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

// The low bits of the type, extended to 64 by its sign or by zeros.
uint64_t extend(ValueType type, uint64_t bits) {
  const int unused = 64 - type.bits;
  if (type.kind == Kind::kSigned) {
    return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
  }
  return bits << unused >> unused;
}

uint64_t integer_to_integer(ValueType to, ValueType from, uint64_t value, uint32_t mode) {
  if ((mode & kSaturates) != 0) {
    const __int128 wide =
        from.kind == Kind::kUnsigned ? __int128(value) : __int128(static_cast<int64_t>(value));
    const bool is_signed = to.kind == Kind::kSigned;
    const __int128 low = is_signed ? -(__int128(1) << (to.bits - 1)) : __int128(0);
    const __int128 high = (__int128(1) << (to.bits - (is_signed ? 1 : 0))) - 1;
    value = static_cast<uint64_t>(std::clamp(wide, low, high));
  }
  return extend(to, value);
}

uint64_t integer_to_float(ValueType to, ValueType from, uint64_t value, Rounding mode) {
  const bool is_signed = from.kind == Kind::kSigned;
  if (to.kind == Kind::kFloat && to.bits == 32 && mode == Rounding::kNearest) {
    // Straight to float: by way of double a 64-bit integer would be rounded twice.
    return to_bits(is_signed ? static_cast<float>(static_cast<int64_t>(value))
                             : static_cast<float>(value));
  }
  return encode_float(
      to, is_signed ? static_cast<double>(static_cast<int64_t>(value)) : static_cast<double>(value),
      mode);
}

uint64_t float_to_integer(ValueType to, double value, Rounding mode) {
  value = round_to_integral(value, mode);
  const bool is_signed = to.kind == Kind::kSigned;
  const double low = is_signed ? -std::ldexp(1.0, to.bits - 1) : 0.0;
  const double high = std::ldexp(1.0, to.bits - (is_signed ? 1 : 0));
  if (std::isnan(value)) return 0;
  if (value < low) return static_cast<uint64_t>(static_cast<int64_t>(low));
  if (value >= high) {
    return ~uint64_t{0} >> (64 - to.bits + (is_signed ? 1 : 0));
  }
  return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value))
                   : static_cast<uint64_t>(value);
}

uint64_t float_to_float(ValueType to, double value, Rounding rounding, uint32_t mode) {
  if ((mode & kToIntegral) != 0) value = round_to_integral(value, rounding);
  if ((mode & kSaturates) != 0) value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
  if ((mode & kClampsNegative) != 0 && value < 0) value = 0;
  return encode_float(to, value, rounding);
}

// Registers: d, a. mode: to, from, rounding with flags.
void convert(Warp& warp, const Instruction& in, uint32_t mask) {
  const ValueType to = unpack_type(in.mode[0]);
  const ValueType from = unpack_type(in.mode[1]);
  const auto rounding = static_cast<Rounding>(in.mode[2] & 255);
  for_each_lane(mask, [&](int l) {
    const uint64_t bits = warp.get(in.registers[1], l);
    uint64_t result = 0;
    if (from.is_integer()) {
      const uint64_t value = extend(from, bits);
      result = to.is_integer() ? integer_to_integer(to, from, value, in.mode[2])
                               : integer_to_float(to, from, value, rounding);
    } else {
      const double value = decode_float(from, bits);
      result = to.is_integer() ? float_to_integer(to, value, rounding)
                               : float_to_float(to, value, rounding, in.mode[2]);
    }
    warp.put(in.registers[0], l, result);
  });
}

// cvt.rn.f16x2.f32 d, high, low. Registers: d, high, low.
void convert_pair(Warp& warp, const Instruction& in, uint32_t mask) {
  const bool is_f16 = unpack_type(in.mode[0]).kind == Kind::kF16x2;
  const ValueType half = {is_f16 ? Kind::kF16 : Kind::kBf16, 16};
  const auto rounding = static_cast<Rounding>(in.mode[2] & 255);
  for_each_lane(mask, [&](int l) {
    const auto one = [&](Register r) {
      return float_to_float(half, decode_float(kF32, warp.get(r, l)), rounding, in.mode[2]);
    };
    warp.put(in.registers[0], l, one(in.registers[1]) << 16 | one(in.registers[2]));
  });
}

Rounding rounding_of(const Decoder& decoder) {
  if (decoder.has("rz") || decoder.has("rzi")) return Rounding::kZero;
  if (decoder.has("rm") || decoder.has("rmi")) return Rounding::kDown;
  if (decoder.has("rp") || decoder.has("rpi")) return Rounding::kUp;
  return decoder.has("rna") ? Rounding::kNearestAway : Rounding::kNearest;
}

uint32_t conversion_flags(const Decoder& decoder) {
  uint32_t flags = 0;
  if (decoder.has("sat")) flags |= kSaturates;
  if (decoder.has("relu")) flags |= kClampsNegative;
  for (const char* modifier : {"rni", "rzi", "rmi", "rpi"}) {
    if (decoder.has(modifier)) flags |= kToIntegral;
  }
  return flags;
}

void decode_cvt(Decoder& decoder) {
  if (decoder.types().size() != 2) decoder.fail("two types that are known are needed");
  const ValueType to = decoder.types()[0];
  const ValueType from = decoder.types()[1];
  decoder.require(from.is_integer() || from.is_float() || from.kind == Kind::kTf32,
                  "a number as the source");
  decoder.instruction.mode = {
      pack_type(to), pack_type(from),
      static_cast<uint32_t>(rounding_of(decoder)) | conversion_flags(decoder), 0};
  decoder.add_destination(0);
  if (to.kind == Kind::kF16x2 || to.kind == Kind::kBf16x2) {
    decoder.require(from.kind == Kind::kFloat && from.bits == 32, "f32 as the source of a pair");
    decoder.add_sources(1, 2, from);
    return decoder.execute_with(convert_pair);
  }
  // The register may be wider than the type: only its low bits are read.
  if (decoder.operand(1).kind == Operand::Kind::kRegister) {
    decoder.add_vector(1);
  } else {
    decoder.add_source(1, from);
  }
  decoder.execute_with(convert);
}

}  // namespace

void add_conversion_instructions(DecodeTable& table) {
  table["cvt"] = decode_cvt;
}

}  // namespace triode::vgpu
