// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace triode::vgpu {

enum class Rounding : uint8_t { kNearest, kNearestAway, kZero, kDown, kUp };

// Whether a magnitude is rounded up, given the bits that are dropped and half of the last place.
constexpr bool rounds_up(Rounding mode, uint64_t dropped, uint64_t half, bool is_odd,
                         bool is_negative) {
  switch (mode) {
    case Rounding::kNearest:
      return dropped > half || (dropped == half && is_odd);
    case Rounding::kNearestAway:
      return dropped >= half;
    case Rounding::kDown:
      return dropped != 0 && is_negative;
    case Rounding::kUp:
      return dropped != 0 && !is_negative;
    default:
      return false;
  }
}

// The bits of `value`, rounded once to an IEEE-like format (infinities, subnormals).
template <int kExponentBits, int kMantissaBits>
uint32_t round_to_format(double value, Rounding mode = Rounding::kNearest) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr uint32_t kInfinity = ((1u << kExponentBits) - 1) << kMantissaBits;
  const auto bits = std::bit_cast<uint64_t>(value);
  const bool is_negative = bits >> 63 != 0;
  const uint32_t sign = is_negative ? 1u << (kExponentBits + kMantissaBits) : 0u;
  if (std::isnan(value)) return kInfinity | ((1u << kMantissaBits) - 1);
  if (std::isinf(value)) return sign | kInfinity;
  if (value == 0) return sign;
  // A subnormal double is far below every format here, so the hidden bit may be assumed.
  const int exponent = static_cast<int>(bits >> 52 & 2047) - 1023;
  const uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const int below_normal = exponent < 1 - kBias ? 1 - kBias - exponent : 0;
  const int drop = 52 - kMantissaBits + below_normal;
  const bool is_tiny = drop > 60;  // far below the least subnormal
  const uint64_t kept = is_tiny ? 0 : significand >> drop;
  const uint64_t dropped = is_tiny ? 1 : significand & ((uint64_t{1} << drop) - 1);
  const uint64_t half = is_tiny ? 2 : uint64_t{1} << (drop - 1);
  // `kept` carries the hidden bit, which adds one to the exponent: hence the -1.
  uint32_t magnitude =
      below_normal > 0 ? 0u : static_cast<uint32_t>(exponent + kBias - 1) << kMantissaBits;
  magnitude += static_cast<uint32_t>(kept);
  magnitude += rounds_up(mode, dropped, half, (kept & 1) != 0, is_negative) ? 1 : 0;
  if (exponent > kBias || magnitude >= kInfinity) {
    const bool to_infinity = mode == Rounding::kNearest || mode == Rounding::kNearestAway ||
                             mode == (is_negative ? Rounding::kDown : Rounding::kUp);
    magnitude = to_infinity ? kInfinity : kInfinity - 1;
  }
  return sign | magnitude;
}

inline float f16_to_float(uint16_t bits) {
  // Moving the fields and scaling by the difference of the biases is right for subnormals too.
  const float scaled = std::bit_cast<float>(uint32_t{bits & 0x7fffu} << 13) * 0x1p112f;
  uint32_t wide = std::bit_cast<uint32_t>(scaled);
  if ((bits & 0x7c00) == 0x7c00) wide |= 0x7f800000u;
  return std::bit_cast<float>(wide | uint32_t{bits & 0x8000u} << 16);
}
inline float bf16_to_float(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}
// What a tensor core sees of a float: the low 13 bits are ignored.
inline float tf32_to_float(uint32_t bits) {
  return std::bit_cast<float>(bits & 0xffffe000u);
}

inline uint16_t to_f16(double value, Rounding mode = Rounding::kNearest) {
  return static_cast<uint16_t>(round_to_format<5, 10>(value, mode));
}
inline uint16_t to_bf16(double value, Rounding mode = Rounding::kNearest) {
  return static_cast<uint16_t>(round_to_format<8, 7>(value, mode));
}
inline uint32_t to_tf32(double value, Rounding mode) {
  return round_to_format<8, 10>(value, mode) << 13;
}

// 16-bit values that compute through float and round after each operation.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  Half(double value) : bits(to_f16(value)) {}
  operator float() const { return f16_to_float(bits); }
};
struct BFloat {
  uint16_t bits = 0;
  BFloat() = default;
  BFloat(double value) : bits(to_bf16(value)) {}
  operator float() const { return bf16_to_float(bits); }
};

}  // namespace triode::vgpu
