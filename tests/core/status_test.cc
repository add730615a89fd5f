// SPDX-License-Identifier: Apache-2.0
#include "core/status.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

TEST(Status, IsOkByDefault) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().code(), StatusCode::kOk);
  EXPECT_EQ(Status().to_string(), "ok");
}

TEST(Status, SaysItsCodeAndMessage) {
  EXPECT_EQ(not_found("no file /x").to_string(), "not found: no file /x");
}

TEST(Status, EachMakerGivesItsCode) {
  EXPECT_THAT(invalid_argument("m"), FailsWith(StatusCode::kInvalidArgument, "m"));
  EXPECT_THAT(not_found("m"), FailsWith(StatusCode::kNotFound, "m"));
  EXPECT_THAT(unsupported("m"), FailsWith(StatusCode::kUnsupported, "m"));
  EXPECT_THAT(resource_exhausted("m"), FailsWith(StatusCode::kResourceExhausted, "m"));
  EXPECT_THAT(corrupt("m"), FailsWith(StatusCode::kCorrupt, "m"));
  EXPECT_THAT(unavailable("m"), FailsWith(StatusCode::kUnavailable, "m"));
  EXPECT_THAT(internal_error("m"), FailsWith(StatusCode::kInternal, "m"));
}

TEST(StatusCode, HasANameForEach) {
  EXPECT_EQ(to_string(StatusCode::kOk), "ok");
  EXPECT_EQ(to_string(StatusCode::kInvalidArgument), "invalid argument");
  EXPECT_EQ(to_string(StatusCode::kNotFound), "not found");
  EXPECT_EQ(to_string(StatusCode::kUnsupported), "unsupported");
  EXPECT_EQ(to_string(StatusCode::kResourceExhausted), "resource exhausted");
  EXPECT_EQ(to_string(StatusCode::kCorrupt), "corrupt");
  EXPECT_EQ(to_string(StatusCode::kUnavailable), "unavailable");
  EXPECT_EQ(to_string(StatusCode::kInternal), "internal error");
}

TEST(Result, HoldsAValue) {
  Result<std::string> result(std::string("abc"));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, "abc");
  EXPECT_EQ(result->size(), 3u);
  EXPECT_EQ(std::move(result).take(), "abc");
}

TEST(Result, HoldsAnError) {
  const Result<int> result = unavailable("later");
  EXPECT_THAT(result, FailsWith(StatusCode::kUnavailable, "later"));
}

Result<std::unique_ptr<int>> box(int value) {
  if (value < 0) return invalid_argument("negative");
  return std::make_unique<int>(value);
}

Result<int> unbox_twice(int first, int second, int& reached) {
  const std::unique_ptr<int> one = TRIODE_TRY(box(first));
  reached = 1;
  const std::unique_ptr<int> two = TRIODE_TRY(box(second));
  reached = 2;
  return *one + *two;
}

Status pass_on(const Status& status, bool& went_on) {
  TRIODE_TRY(status);
  went_on = true;
  return {};
}

TEST(TriodeTry, EvaluatesToTheValueAndCanMoveIt) {
  int reached = 0;
  EXPECT_EQ(unbox_twice(3, 4, reached).value(), 7);
  EXPECT_EQ(reached, 2);
}

TEST(TriodeTry, ReturnsTheErrorAtOnce) {
  int reached = 0;
  EXPECT_THAT(unbox_twice(3, -4, reached), FailsWith(StatusCode::kInvalidArgument, "negative"));
  EXPECT_EQ(reached, 1);
}

TEST(TriodeTry, GoesOnAfterAnOkStatus) {
  bool went_on = false;
  EXPECT_TRUE(pass_on(Status(), went_on).ok());
  EXPECT_TRUE(went_on);
}

TEST(TriodeTry, PassesAStatusUp) {
  bool went_on = false;
  EXPECT_THAT(pass_on(corrupt("bytes"), went_on), FailsWith(StatusCode::kCorrupt, "bytes"));
  EXPECT_FALSE(went_on);
}

}  // namespace
}  // namespace triode
