// SPDX-License-Identifier: Apache-2.0
// A program that links one BLAS ahead of libtriode.so and another behind it.
#include <gtest/gtest.h>
#include <triode/triode.h>

#include "tests/host/small_product.h"

extern "C" long stand_in_calls();  // of the one ahead

namespace triode {
namespace {

TEST(BlasAhead, IsTheOneThatTheProgramMeans) {
  SmallProduct<float> product;
  ASSERT_EQ(triode_gemm(&product.call), TRIODE_OK) << triode_last_error();
  EXPECT_TRUE(product.is_computed());
  EXPECT_EQ(stand_in_calls(), 1);
}

}  // namespace
}  // namespace triode
