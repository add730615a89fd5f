// SPDX-License-Identifier: Apache-2.0
// Turns of a library that has a matmul of its own. Here that is the stand-in BLAS, which counts its
// calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <triode/turn.h>

#include "tests/host/api_use.h"
#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"

extern "C" long stand_in_calls();

namespace triode {
namespace {

using ::testing::HasSubstr;

template <typename T>
triode_gemm_call by_columns() {
  triode_gemm_call shape = SmallProduct<T>::usual_shape();
  shape.layout = TRIODE_COLUMN_MAJOR;
  return shape;
}

triode_turn make_turn(int32_t function = TRIODE_FORTRAN_GEMM) {
  triode_turn turn = TRIODE_TURN_INIT;
  turn.function = function;
  turn.library = reinterpret_cast<const void*>(&make_turn);
  turn.frame = __builtin_frame_address(0);
  return turn;
}

// One whole turn; the own matmul does nothing. Whether the plan answered.
bool take_turn(const triode_gemm_call& call, int32_t function = TRIODE_FORTRAN_GEMM) {
  triode_turn turn = make_turn(function);
  EXPECT_EQ(triode_turn_begin(&call, &turn), TRIODE_OK) << triode_last_error();
  const bool is_answered = turn.is_plans != 0 && triode_turn_run(&turn, &call) == TRIODE_OK;
  EXPECT_EQ(triode_turn_end(&turn), TRIODE_OK);
  return is_answered;
}

TEST(ApiTurn, IsTheOwnMatmulsWithoutAPlanAndIsCounted) {
  in_fresh_process([] {
    start_observing();
    const SmallProduct<float> product(by_columns<float>());
    EXPECT_FALSE(take_turn(product.call));
    EXPECT_FALSE(take_turn(product.call));
    EXPECT_EQ(statistics().calls, 2u);
    EXPECT_EQ(statistics().triode_calls, 0u);
    EXPECT_EQ(statistics().shapes, 1u);
    EXPECT_TRUE(product.is_untouched());
  });
}

TEST(ApiTurn, RunsThePlanInBothTypesAndOfABatch) {
  in_fresh_process([] {
    start_answering();
    const SmallProduct<float> in_float(by_columns<float>());
    const SmallProduct<double> in_double(by_columns<double>());
    triode_gemm_call of_batch = by_columns<float>();
    of_batch.batch = 3;
    of_batch.a_stride = of_batch.b_stride = of_batch.c_stride = 64;
    of_batch.transpose_a = TRIODE_TRANSPOSE;
    of_batch.alpha = 2;
    of_batch.beta = 1;
    const SmallProduct<float> batch(of_batch);
    EXPECT_TRUE(take_turn(in_float.call));
    EXPECT_TRUE(take_turn(in_double.call));
    EXPECT_TRUE(take_turn(batch.call, TRIODE_CBLAS_GEMM_BATCH));
    EXPECT_TRUE(in_float.is_computed());
    EXPECT_TRUE(in_double.is_computed());
    EXPECT_TRUE(batch.is_computed());
    EXPECT_EQ(statistics().triode_calls, 3u);
    EXPECT_EQ(stand_in_calls(), 0);
  });
}

TEST(ApiTurn, TakesRoomForTheResultThatComesAfterItsBeginning) {
  in_fresh_process([] {
    start_answering();
    const SmallProduct<float> product(by_columns<float>(), 0);
    triode_turn turn = make_turn();
    triode_gemm_call call = product.call;
    call.c = nullptr;
    ASSERT_EQ(triode_turn_begin(&call, &turn), TRIODE_OK);
    ASSERT_EQ(turn.is_plans, 1);
    EXPECT_EQ(triode_turn_run(&turn, &product.call), TRIODE_OK);
    EXPECT_TRUE(product.is_computed());
  });
}

// The plan is for a result at a cache line, or for one that does not overlap a.
TEST(ApiTurn, PassesToTheOwnMatmulIfThePlanCannotRun) {
  in_fresh_process([] {
    start_answering();
    const SmallProduct<float> product(by_columns<float>(), 0);
    triode_gemm_call call = product.call;
    call.c = nullptr;
    for (void* const c : {static_cast<void*>(static_cast<float*>(product.call.c) + 1),
                          const_cast<void*>(product.call.a)}) {
      triode_turn turn = make_turn();
      ASSERT_EQ(triode_turn_begin(&call, &turn), TRIODE_OK);
      triode_gemm_call elsewhere = product.call;
      elsewhere.c = c;
      EXPECT_EQ(triode_turn_run(&turn, &elsewhere), TRIODE_UNSUPPORTED);
      EXPECT_EQ(turn.is_plans, 0);
      EXPECT_EQ(triode_turn_end(&turn), TRIODE_OK);
    }
    EXPECT_TRUE(product.is_untouched());
    EXPECT_EQ(statistics().calls, 2u);
  });
}

TEST(ApiTurn, OfACallThatIsNotUnderstoodIsTheOwnMatmuls) {
  in_fresh_process([] {
    start_answering();
    const SmallProduct<float> product(by_columns<float>());
    triode_gemm_call senseless = product.call;
    senseless.lda = 1;
    EXPECT_FALSE(take_turn(senseless));
    EXPECT_TRUE(take_turn(product.call));
  });
}

// What it calls would be answered twice: by a plan of the call inside it, and as a part of it.
TEST(ApiTurn, LeavesWhatTheOwnMatmulCallsAlone) {
  in_fresh_process([] {
    start_observing();
    SmallProduct<float> product(by_columns<float>());
    triode_turn turn = make_turn();
    turn.frame = __builtin_frame_address(0);
    ASSERT_EQ(triode_turn_begin(&product.call, &turn), TRIODE_OK);
    ASSERT_EQ(triode_gemm(&product.call), TRIODE_OK);
    EXPECT_EQ(triode_turn_end(&turn), TRIODE_OK);
    EXPECT_TRUE(product.is_computed());
    EXPECT_EQ(statistics().calls, 1u);
  });
}

TEST(ApiTurn, EndedInMidAirLeavesTheThreadFree) {
  in_fresh_process([] {
    start_answering();
    const SmallProduct<float> product(by_columns<float>());
    triode_turn left = make_turn();
    ASSERT_EQ(triode_turn_begin(&product.call, &left), TRIODE_OK);
    EXPECT_EQ(triode_turn_end(&left), TRIODE_OK);  // no room could be made
    EXPECT_TRUE(take_turn(product.call));
    EXPECT_EQ(statistics().calls, 1u);
  });
}

TEST(ApiTurn, SwitchedOffIsTheOwnMatmuls) {
  in_fresh_process([] {
    start(TRIODE_MODE_OFF);
    const SmallProduct<float> product(by_columns<float>());
    EXPECT_FALSE(take_turn(product.call));
    EXPECT_EQ(statistics().calls, 0u);
  });
}

TEST(ApiTurn, WrongArgumentsAreRefusedAndMakeItTheOwnMatmulsTurn) {
  in_fresh_process([] {
    start_answering();
    const SmallProduct<float> product(by_columns<float>());
    const auto refuse = [](const triode_gemm_call* call, triode_turn turn, const char* text) {
      turn.is_plans = 1;
      EXPECT_EQ(triode_turn_begin(call, &turn), TRIODE_INVALID_ARGUMENT);
      EXPECT_THAT(triode_last_error(), HasSubstr(text));
      EXPECT_EQ(turn.is_plans, 0);
    };
    refuse(nullptr, make_turn(), "call is NULL");
    refuse(&product.call, make_turn(7), "turn->function is 7");
    triode_gemm_call by_rows = product.call;
    by_rows.layout = TRIODE_ROW_MAJOR;
    refuse(&by_rows, make_turn(), "column-major");
    EXPECT_EQ(triode_turn_begin(&product.call, nullptr), TRIODE_INVALID_ARGUMENT);
    EXPECT_EQ(triode_turn_run(nullptr, &product.call), TRIODE_INVALID_ARGUMENT);
    EXPECT_EQ(triode_turn_end(nullptr), TRIODE_INVALID_ARGUMENT);
    triode_turn not_begun = make_turn();
    EXPECT_EQ(triode_turn_run(&not_begun, &product.call), TRIODE_INVALID_ARGUMENT);
  });
}

}  // namespace
}  // namespace triode
