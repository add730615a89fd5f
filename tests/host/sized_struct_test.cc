// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/sized_struct.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode::host {
namespace {

using ::testing::HasSubstr;

struct Known {
  size_t size = sizeof(Known);
  int64_t value = 7;
};

// What a later version made of it.
struct Grown {
  size_t size = sizeof(Grown);
  int64_t value = 7;
  int64_t added = 0;
};

TEST(SizedStruct, TakesItsOwnSize) {
  const Known known;
  EXPECT_TRUE(check_input_struct(&known, sizeof known, "options").ok());
}

TEST(SizedStruct, TakesALaterStructThatSaysNothingNew) {
  const Grown grown;
  EXPECT_TRUE(check_input_struct(&grown, sizeof(Known), "options").ok());
}

TEST(SizedStruct, RefusesALaterStructThatSaysSomethingNew) {
  const Grown grown{.added = 1};
  EXPECT_THAT(check_input_struct(&grown, sizeof(Known), "options"),
              FailsWith(StatusCode::kUnsupported, HasSubstr("options was made for a newer")));
}

TEST(SizedStruct, RefusesNone) {
  EXPECT_THAT(check_size(nullptr, sizeof(Known), "options"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("options is NULL")));
}

TEST(SizedStruct, RefusesASmallerOne) {
  const Known known{.size = 8};
  EXPECT_THAT(check_size(&known, sizeof known, "options"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("options->size is 8; set it")));
}

TEST(SizedStruct, RefusesASizeThatWasNotInitialised) {
  const Known known{.size = size_t{1} << 40};
  EXPECT_THAT(check_input_struct(&known, sizeof known, "options"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("options->size is 1099511627776")));
}

TEST(SizedStruct, ClearsWhatIsBeyondInALaterOutput) {
  Grown grown{.value = 0, .added = 9};
  const Known known;
  write_output_struct(&known, sizeof known, &grown);
  EXPECT_EQ(grown.size, sizeof(Grown));
  EXPECT_EQ(grown.value, 7);
  EXPECT_EQ(grown.added, 0);
}

}  // namespace
}  // namespace triode::host
