// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstring>

// What a program needs that calls a BLAS of last_call.h: each call is compared with what the BLAS
// got of it.

extern "C" const char* take_last_call();

inline int failures = 0;

// Whether exactly this reached the BLAS.
template <typename... Values>
void expect(const char* format, Values... values) {
  char expected[512];
  std::snprintf(expected, sizeof expected, format, values...);
  const char* const got = take_last_call();
  if (std::strcmp(expected, got) == 0) return;
  ++failures;
  std::printf("said %s\n got %s\n", expected, got);
}

inline void say_failures() {
  std::printf("failures=%d\n", failures);
}
