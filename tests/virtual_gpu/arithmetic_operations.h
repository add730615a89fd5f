// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "tests/virtual_gpu/lane_values.h"

// What the arithmetic instructions compute, as function objects on C++ values. Integers wrap.
namespace triode::vgpu {

// What a float of this size computes in.
template <typename T>
using Computed = std::conditional_t<sizeof(T) == 2, float, T>;

struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>)
      return static_cast<T>(Wide<T>(a) + Wide<T>(b));
    else
      return T(a + b);
  }
};

struct Subtract {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>)
      return static_cast<T>(Wide<T>(a) - Wide<T>(b));
    else
      return T(a - b);
  }
};

struct Multiply {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>)
      return static_cast<T>(Wide<T>(a) * Wide<T>(b));
    else
      return T(a * b);
  }
};

struct MultiplyHigh {
  template <typename T>
  T operator()(T a, T b) const {
    using W = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((W(a) * W(b)) >> (8 * sizeof(T)));
  }
};

struct Divide {  // a GPU's integer division by zero gives all ones and does not trap
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (!kIsInteger<T>) {
      return T(a / b);
    } else {
      if (b == 0) return static_cast<T>(-1);
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - Wide<T>(a));
      return static_cast<T>(a / b);
    }
  }
};

struct Remainder {
  template <typename T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

struct Minimum {  // of a number and a NaN: the number
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>)
      return a < b ? a : b;
    else
      return T(std::fmin(Computed<T>(a), Computed<T>(b)));
  }
};

struct Maximum {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>)
      return a > b ? a : b;
    else
      return T(std::fmax(Computed<T>(a), Computed<T>(b)));
  }
};

struct MultiplyAdd {  // rounds once
  template <typename T>
  T operator()(T a, T b, T c) const {
    if constexpr (kIsInteger<T>)
      return static_cast<T>(Wide<T>(a) * Wide<T>(b) + Wide<T>(c));
    else if constexpr (sizeof(T) == 2)
      return T(double(a) * double(b) + double(c));
    else
      return std::fma(a, b, c);
  }
};

struct Negate {
  template <typename T>
  T operator()(T a) const {
    if constexpr (kIsInteger<T>)
      return static_cast<T>(0 - Wide<T>(a));
    else
      return T(-a);
  }
};

struct Absolute {
  template <typename T>
  T operator()(T a) const {
    if constexpr (kIsInteger<T>)
      return a < 0 ? static_cast<T>(0 - Wide<T>(a)) : a;
    else
      return T(std::fabs(a));
  }
};

struct SquareRoot {
  template <typename T>
  T operator()(T a) const {
    return T(std::sqrt(a));
  }
};
struct Reciprocal {
  template <typename T>
  T operator()(T a) const {
    return T(1 / a);
  }
};
struct PowerOfTwo {
  template <typename T>
  T operator()(T a) const {
    return T(std::exp2(a));
  }
};

}  // namespace triode::vgpu
