// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <triode/triode.h>

int main(void) {
  const double a[4] = {1, 2, 3, 4};
  const double b[4] = {5, 6, 7, 8};
  double c[4];
  triode_gemm_call call = TRIODE_GEMM_CALL_INIT;
  call.dtype = TRIODE_F64;
  call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 2;
  call.a = a;
  call.b = b;
  call.c = c;
  if (triode_gemm(&call) != TRIODE_OK) {
    fprintf(stderr, "%s\n", triode_last_error());
    return 1;
  }
  printf("%g %g %g %g by Triode %s\n", c[0], c[1], c[2], c[3], triode_version());
  return c[0] == 19 && c[3] == 50 ? 0 : 1;
}
