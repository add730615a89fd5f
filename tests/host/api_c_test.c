// SPDX-License-Identifier: Apache-2.0
// triode.h in a C program: that it compiles as C11, and every function once.
#include <stdio.h>
#include <string.h>
#include <triode/triode.h>

static int expect(int holds, const char* claim) {
  if (!holds) printf("does not hold: %s (last error: %s)\n", claim, triode_last_error());
  return holds ? 0 : 1;
}
#define EXPECT(claim) failures += expect((claim), #claim)

int main(void) {
  int failures = 0;
  const float a[2] = {2, 3};
  const float b[3] = {1, 10, 100};
  float c[6] = {0};

  triode_options options = TRIODE_OPTIONS_INIT;
  options.mode = TRIODE_MODE_OBSERVE;
  EXPECT(triode_init(&options) == TRIODE_OK);
  EXPECT(triode_init(NULL) == TRIODE_ALREADY_STARTED);

  triode_gemm_call call = TRIODE_GEMM_CALL_INIT;
  call.m = 2;
  call.n = call.ldb = call.ldc = 3;
  call.k = call.lda = 1;
  call.a = a;
  call.b = b;
  call.c = c;
  EXPECT(triode_gemm(&call) == TRIODE_OK);
  EXPECT(c[0] == 2 && c[5] == 300);

  triode_plan* plan = NULL;
  EXPECT(triode_plan_create(&call, &plan) == TRIODE_OK);
  EXPECT(triode_plan_run(plan, 1, a, b, 0, c) == TRIODE_OK);
  EXPECT(triode_plan_destroy(plan) == TRIODE_OK);

  triode_plan_info info;
  info.size = sizeof info;
  EXPECT(triode_plan_query(&call, &info) == TRIODE_OK);
  EXPECT(info.triode_calls == 2);

  triode_statistics sums;
  sums.size = sizeof sums;
  EXPECT(triode_stats(&sums) == TRIODE_OK);
  EXPECT(sums.calls == 2);

  call.lda = 0;
  EXPECT(triode_gemm(&call) == TRIODE_INVALID_ARGUMENT);
  EXPECT(strstr(triode_last_error(), "lda is 0") != NULL);
  EXPECT(strlen(triode_version()) > 0);
  EXPECT(triode_shutdown() == TRIODE_OK);
  return failures == 0 ? 0 : 1;
}
