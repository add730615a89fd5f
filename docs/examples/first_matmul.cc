// SPDX-License-Identifier: Apache-2.0
#include <triode/runtime.h>

#include <cstdio>
#include <vector>

int main() {
  const triode::Runtime runtime;
  const std::vector<float> a(64 * 256, 1), b(256 * 512, 2);
  std::vector<float> c(64 * 512);
  runtime.gemm({.m = 64, .n = 512, .k = 256}, 1, a, b, 0, c);
  std::printf("c[0] = %g\n", static_cast<double>(c[0]));
  return c[0] == 512 ? 0 : 1;
}
