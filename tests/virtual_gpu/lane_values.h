// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "tests/virtual_gpu/instruction.h"
#include "tests/virtual_gpu/small_floats.h"
#include "tests/virtual_gpu/value_type.h"
#include "tests/virtual_gpu/warp.h"

// How an operation on C++ values becomes a handler: `Shape::run<Operation, T>` reads the lanes as
// T, and the of_* functions choose T by the type that the instruction names.
namespace triode::vgpu {

template <int kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using Type = uint8_t;
};
template <>
struct UnsignedOf<2> {
  using Type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using Type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using Type = uint64_t;
};
template <typename T>
using Bits = typename UnsignedOf<sizeof(T)>::Type;
// Unsigned, and wide enough not to be promoted to int, whose overflow is undefined.
template <typename T>
using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, Bits<T>>;

template <typename T>
constexpr bool kIsInteger = std::is_integral_v<T>;

template <typename T>
T from_bits(Bits<T> bits) {
  return std::bit_cast<T>(bits);
}
template <typename T>
Bits<T> to_bits(T value) {
  return std::bit_cast<Bits<T>>(value);
}

// Registers: d, a.
struct Unary {
  template <typename Operation, typename T>
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    using R = decltype(Operation()(T()));
    Bits<R>* d = warp.lanes<Bits<R>>(in.registers[0]);
    const Bits<T>* a = warp.lanes<Bits<T>>(in.registers[1]);
    for_each_lane(mask, [=](int l) { d[l] = to_bits<R>(Operation()(from_bits<T>(a[l]))); });
  }
};

// Registers: d, a, b.
struct Binary {
  template <typename Operation, typename T>
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    Bits<T>* d = warp.lanes<Bits<T>>(in.registers[0]);
    const Bits<T>* a = warp.lanes<Bits<T>>(in.registers[1]);
    const Bits<T>* b = warp.lanes<Bits<T>>(in.registers[2]);
    for_each_lane(mask, [=](int l) {
      d[l] = to_bits<T>(Operation()(from_bits<T>(a[l]), from_bits<T>(b[l])));
    });
  }
};

// Registers: d, a, b, c.
struct Ternary {
  template <typename Operation, typename T>
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    Bits<T>* d = warp.lanes<Bits<T>>(in.registers[0]);
    const Bits<T>* a = warp.lanes<Bits<T>>(in.registers[1]);
    const Bits<T>* b = warp.lanes<Bits<T>>(in.registers[2]);
    const Bits<T>* c = warp.lanes<Bits<T>>(in.registers[3]);
    for_each_lane(mask, [=](int l) {
      d[l] = to_bits<T>(Operation()(from_bits<T>(a[l]), from_bits<T>(b[l]), from_bits<T>(c[l])));
    });
  }
};

template <typename Shape, typename Operation>
Handler of_unsigned(ValueType type) {
  switch (type.bits) {
    case 16:
      return Shape::template run<Operation, uint16_t>;
    case 32:
      return Shape::template run<Operation, uint32_t>;
    case 64:
      return Shape::template run<Operation, uint64_t>;
    default:
      return nullptr;
  }
}

template <typename Shape, typename Operation>
Handler of_integer(ValueType type) {
  if (type.kind == ValueType::Kind::kUnsigned) return of_unsigned<Shape, Operation>(type);
  if (type.kind != ValueType::Kind::kSigned) return nullptr;
  switch (type.bits) {
    case 16:
      return Shape::template run<Operation, int16_t>;
    case 32:
      return Shape::template run<Operation, int32_t>;
    case 64:
      return Shape::template run<Operation, int64_t>;
    default:
      return nullptr;
  }
}

template <typename Shape, typename Operation>
Handler of_float(ValueType type) {
  switch (type.kind) {
    case ValueType::Kind::kF16:
      return Shape::template run<Operation, Half>;
    case ValueType::Kind::kBf16:
      return Shape::template run<Operation, BFloat>;
    case ValueType::Kind::kFloat:
      return type.bits == 32 ? Handler(Shape::template run<Operation, float>)
                             : Handler(Shape::template run<Operation, double>);
    default:
      return nullptr;
  }
}

template <typename Shape, typename Operation>
Handler of_number(ValueType type) {
  return type.is_float() ? of_float<Shape, Operation>(type) : of_integer<Shape, Operation>(type);
}

}  // namespace triode::vgpu
