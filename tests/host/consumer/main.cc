// SPDX-License-Identifier: Apache-2.0
#include <triode/runtime.h>

#include <cstdio>
#include <vector>

int main() try {
  const triode::Runtime runtime(triode::Runtime::Options{.mode = TRIODE_MODE_TUNE});
  const triode::Runtime::Shape shape{.m = 64, .n = 512, .k = 256};
  const std::vector<float> a(64 * 256, 1), b(256 * 512, 2);
  std::vector<float> c(64 * 512);
  runtime.gemm(shape, 1, a, b, 0, c);

  const auto plan = runtime.plan<float>(shape);
  for (int i = 0; i < 100; ++i) plan.run(1, a, b, 0, c);

  const triode_plan_info info = runtime.query<float>(shape);
  std::printf("c[0] = %g; of %g calls, %g were answered by Triode\n", static_cast<double>(c[0]),
              static_cast<double>(info.vendor_calls + info.triode_calls),
              static_cast<double>(info.triode_calls));
  return c[0] == 512 ? 0 : 1;
} catch (const triode::Error& error) {
  std::fprintf(stderr, "%s (code %d)\n", error.what(), error.code());
  return 1;
}
