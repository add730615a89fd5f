// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/own_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::host {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(OwnTuner, WithoutItsLibrarySaysWhereItWasLookedForAndWhatToDo) {
  const std::array<std::filesystem::path, 2> nowhere{"/nowhere/one.so", "/nowhere/two.so"};
  EXPECT_THAT(OwnTuner::load(nowhere),
              FailsWith(StatusCode::kUnsupported,
                        AllOf(HasSubstr("/nowhere/one.so"), HasSubstr("/nowhere/two.so"),
                              HasSubstr("librocksdb"), HasSubstr("leave out in_process"))));
}

TEST(OwnTuner, RefusesAFileThatIsNoLibrary) {
  const TemporaryFolder folder;
  folder.write("libtriode_tuner.so", "not a library");
  const std::array candidates{folder.path() / "libtriode_tuner.so"};
  EXPECT_THAT(OwnTuner::load(candidates),
              FailsWith(StatusCode::kUnsupported, HasSubstr("libtriode_tuner.so")));
}

TEST(OwnTuner, RefusesALibraryOfAnotherKind) {
  const std::array<std::filesystem::path, 1> another{"libm.so.6"};
  EXPECT_THAT(OwnTuner::load(another),
              FailsWith(StatusCode::kUnsupported, HasSubstr("not a Triode library")));
}

TEST(OwnTuner, IsLookedForAroundTheProgramAndThenByTheLoader) {
  const auto candidates = OwnTuner::candidates();
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  EXPECT_THAT(candidates, ::testing::Contains(program.parent_path() / "lib/libtriode_tuner.so"));
  EXPECT_EQ(candidates.back(), "libtriode_tuner.so");
}

}  // namespace
}  // namespace triode::host
