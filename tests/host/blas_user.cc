// SPDX-License-Identifier: Apache-2.0
// A library that multiplies, for guests that load it. Built twice, each with a BLAS of its own.
#include "tests/host/guest_matmul.h"

extern "C" long stand_in_calls();

#define EXPORT extern "C" __attribute__((visibility("default")))

// Two call sites.
EXPORT bool user_multiplies() {
  guest::SquareMatmul small(5), smaller(3);
  return small.run_is_right() && smaller.run_is_right();
}

// Takes the BLAS some milliseconds.
EXPORT bool user_multiplies_long() {
  guest::SquareMatmul matmul(64);
  for (int i = 0; i < 200; ++i) matmul.run();
  return matmul.is_right();
}

// Of the BLAS that this library was linked with.
EXPORT long user_vendor_calls() {
  return stand_in_calls();
}
