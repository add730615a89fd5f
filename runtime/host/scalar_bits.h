// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace triode::host {

// Scalars of a call, looked at as bits: a call that is wrong may come with scalars that its caller
// never set, and arithmetic on a denormal or a signalling NaN would raise a floating-point
// exception that the program does not make without Triode.

template <std::floating_point Scalar>
constexpr auto bits_of(Scalar value) noexcept {
  using Bits = std::conditional_t<sizeof(Scalar) == 4, uint32_t, uint64_t>;
  return std::bit_cast<Bits>(value);
}

// Of either sign.
template <std::floating_point Scalar>
constexpr bool is_zero(Scalar value) noexcept {
  return (bits_of(value) << 1) == 0;
}

template <std::floating_point Scalar>
constexpr bool is_one(Scalar value) noexcept {
  return bits_of(value) == bits_of(Scalar{1});
}

constexpr double widened(double value) noexcept {
  return value;
}

constexpr double widened(float value) noexcept {
  constexpr uint32_t kFraction = 0x7fffff, kExponent = 0xff;
  const uint32_t bits = bits_of(value);
  const uint32_t exponent = bits >> 23 & kExponent;
  if (exponent != 0 && exponent != kExponent) return value;
  if (exponent == kExponent) {  // infinite, or no number
    const uint64_t high = uint64_t{bits >> 31} << 63 | uint64_t{0x7ff} << 52;
    return std::bit_cast<double>(high | uint64_t{bits & kFraction} << 29);
  }
  const double magnitude = static_cast<int32_t>(bits & kFraction) * 0x1p-149;
  return bits >> 31 != 0 ? -magnitude : magnitude;
}

}  // namespace triode::host
