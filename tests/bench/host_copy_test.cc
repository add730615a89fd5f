// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;

TEST(HostCopy, NamesTheLibraryThatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_THAT(HostCopy::make("/nowhere/libtriode.so", folder.path() / "copy.so", {}),
              FailsWith(StatusCode::kNotFound, HasSubstr("/nowhere/libtriode.so")));
}

TEST(HostCopy, RefusesWhatIsNoLibrary) {
  const TemporaryFolder folder;
  folder.write("text.so", "no library");
  EXPECT_THAT(HostCopy::make(folder.path() / "text.so", folder.path() / "copy.so", {}),
              FailsWith(StatusCode::kNotFound, HasSubstr("copy.so")));
}

TEST(HostCopy, RefusesALibraryThatInterceptsNothing) {
  EXPECT_THAT(HostCopy::open("libm.so.6"),
              FailsWith(StatusCode::kUnsupported, HasSubstr("libm.so.6")));
}

TEST(HostCopy, LeavesTheEnvironmentAsItWas) {
  const TemporaryFolder folder;
  setenv("TRIODE_MODE", "observe", 1);
  unsetenv("TRIODE_PLANS");
  folder.write("text.so", "no library");
  const std::vector<run::Variable> settings = {{"TRIODE_MODE", "frozen"}, {"TRIODE_PLANS", "x"}};
  EXPECT_FALSE(HostCopy::make(folder.path() / "text.so", folder.path() / "copy.so", settings).ok());
  EXPECT_STREQ(std::getenv("TRIODE_MODE"), "observe");
  EXPECT_EQ(std::getenv("TRIODE_PLANS"), nullptr);
  unsetenv("TRIODE_MODE");
}

}  // namespace
}  // namespace triode::bench
