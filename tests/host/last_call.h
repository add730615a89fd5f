// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstring>

// What a BLAS needs that computes nothing and keeps the arguments of its last call as text. For one
// source file of a library.

#define EXPORT extern "C" __attribute__((visibility("default")))

inline char last_call[512];

template <typename... Values>
void record(const char* format, Values... values) {
  std::snprintf(last_call, sizeof last_call, format, values...);
}

// Empty if there was none since the last time.
EXPORT __attribute__((used)) inline const char* take_last_call() {
  static char taken[sizeof last_call];
  std::memcpy(taken, last_call, sizeof taken);
  last_call[0] = '\0';
  return taken;
}
