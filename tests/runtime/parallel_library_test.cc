// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/parallel_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST(ParallelLibrary, IsFoundByTheBuildTree) {
  EXPECT_TRUE(parallel_library().ok());
}

TEST(ParallelLibrary, IsLookedForAroundTheProgramAndThenByTheLoader) {
  const auto candidates = parallel_library_candidates();
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  EXPECT_THAT(candidates, Contains(program / "libtriode_parallel.so"));
  EXPECT_THAT(candidates, Contains(program.parent_path() / "lib/libtriode_parallel.so"));
  EXPECT_EQ(candidates.back(), "libtriode_parallel.so");
}

TEST(ParallelLibrary, MissingSaysWhereItWasLookedForAndWhatToDo) {
  const std::array<std::filesystem::path, 2> nowhere{"/nowhere/one.so", "/nowhere/two.so"};
  EXPECT_THAT(load_parallel_library(nowhere),
              FailsWith(StatusCode::kUnsupported,
                        AllOf(HasSubstr("/nowhere/one.so"), HasSubstr("/nowhere/two.so"),
                              HasSubstr("libtbb12"), HasSubstr("use one thread"))));
}

TEST(ParallelLibrary, RefusesAFileThatIsNoLibrary) {
  const TemporaryFolder folder;
  folder.write("libtriode_parallel.so", "not a library");
  const std::array candidates{folder.path() / "libtriode_parallel.so"};
  EXPECT_THAT(load_parallel_library(candidates),
              FailsWith(StatusCode::kUnsupported, HasSubstr("libtriode_parallel.so")));
}

TEST(ParallelLibrary, RefusesALibraryOfAnotherKind) {
  const std::array<std::filesystem::path, 1> another{"libm.so.6"};
  EXPECT_THAT(load_parallel_library(another),
              FailsWith(StatusCode::kUnsupported, HasSubstr("not a Triode library")));
}

}  // namespace
}  // namespace triode
