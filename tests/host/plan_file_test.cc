// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/core/status_matchers.h"
#include "tests/host/stored_plans.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class PlanFileTest : public ::testing::Test {
 protected:
  std::vector<StoredPlan> stored(const Target& target) const {
    const PlanFile file = read_plan_file(path).take();
    const std::span<const StoredPlan> plans = file.plans_for(target);
    return {plans.begin(), plans.end()};
  }
  Status merge(const Target& target, const std::vector<StoredPlan>& plans) const {
    return merge_into_plan_file(path, target, plans);
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "plans";
  const Target here = some_target(2);
  const Target elsewhere = some_target(4);
};

TEST_F(PlanFileTest, GivesBackWhatWasWritten) {
  const PlanFile file = {{{here.fingerprint(), {plan_for_size(8), plan_for_size(9)}},
                          {elsewhere.fingerprint(), {plan_for_size(8)}}}};
  ASSERT_TRUE(write_plan_file(path, file).ok());
  EXPECT_EQ(read_plan_file(path).take(), file);
}

TEST_F(PlanFileTest, FindsThePlansOfATargetAlone) {
  ASSERT_TRUE(write_plan_file(path, {{{here.fingerprint(), {plan_for_size(8)}}}}).ok());
  EXPECT_THAT(stored(here), ElementsAre(plan_for_size(8)));
  EXPECT_THAT(stored(elsewhere), IsEmpty());
}

TEST_F(PlanFileTest, IsNotFoundBeforeItIsWritten) {
  EXPECT_THAT(read_plan_file(path), FailsWith(StatusCode::kNotFound, HasSubstr(path)));
}

TEST_F(PlanFileTest, WritesItsSectionsAndKeepsThoseOfOtherTargets) {
  ASSERT_TRUE(merge(here, {plan_for_size(8), plan_for_size(9)}).ok());
  ASSERT_TRUE(merge(elsewhere, {plan_for_size(10)}).ok());
  ASSERT_TRUE(write_plan_file(path, {{{here.fingerprint(), {plan_for_size(11)}}}}).ok());
  EXPECT_THAT(stored(here), ElementsAre(plan_for_size(11)));
  EXPECT_THAT(stored(elsewhere), ElementsAre(plan_for_size(10)));
}

TEST_F(PlanFileTest, MergesIntoAFileThatIsNotThere) {
  ASSERT_TRUE(merge(here, {plan_for_size(8)}).ok());
  EXPECT_THAT(stored(here), ElementsAre(plan_for_size(8)));
}

TEST_F(PlanFileTest, MergesByProblemAndVendor) {
  StoredPlan better = plan_for_size(8);
  better.config = "isa=avx512 mr=12 nr=32";
  StoredPlan other_vendor = plan_for_size(8);
  other_vendor.vendor = "libmkl_rt.so.2 11aa cblas_sgemm";
  ASSERT_TRUE(merge(here, {plan_for_size(8), plan_for_size(9)}).ok());
  ASSERT_TRUE(merge(here, {plan_for_size(10), better, other_vendor}).ok());
  EXPECT_THAT(stored(here), ElementsAre(better, plan_for_size(9), plan_for_size(10), other_vendor));
}

TEST_F(PlanFileTest, TakesTheLastOfEqualPlans) {
  StoredPlan better = plan_for_size(8);
  better.speedup = 2;
  ASSERT_TRUE(merge(here, {plan_for_size(8), better}).ok());
  EXPECT_THAT(stored(here), ElementsAre(better));
}

TEST_F(PlanFileTest, TouchesNothingWhenThereIsNothingToMerge) {
  ASSERT_TRUE(merge(here, {}).ok());
  EXPECT_THAT(read_plan_file(path), FailsWith(StatusCode::kNotFound, HasSubstr(path)));
}

TEST_F(PlanFileTest, GivesNothingOfADamagedFile) {
  ASSERT_TRUE(merge(here, {plan_for_size(8), plan_for_size(9)}).ok());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THAT(read_plan_file(path),
              FailsWith(StatusCode::kCorrupt, AllOf(HasSubstr(path), HasSubstr("delete it"))));
}

TEST_F(PlanFileTest, MovesADamagedFileAsideAndWritesANewOne) {
  folder.write("plans", "not plans");
  ASSERT_TRUE(merge(here, {plan_for_size(8)}).ok());
  EXPECT_THAT(stored(here), ElementsAre(plan_for_size(8)));
  EXPECT_EQ(bytes_of(path + ".damaged"), "not plans");
}

TEST_F(PlanFileTest, KeepsEarlierDamagedFiles) {
  folder.write("plans.damaged", "the first");
  folder.write("plans", "the second");
  ASSERT_TRUE(merge(here, {plan_for_size(8)}).ok());
  EXPECT_EQ(bytes_of(path + ".damaged"), "the first");
  EXPECT_EQ(bytes_of(path + ".damaged.2"), "the second");
}

TEST_F(PlanFileTest, LeavesTheFileOfANewerTriodeAlone) {
  folder.write("plans", "triode-plans 2 in another way\n");
  EXPECT_THAT(merge(here, {plan_for_size(8)}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("newer Triode")));
  EXPECT_EQ(bytes_of(path), "triode-plans 2 in another way\n");
}

TEST_F(PlanFileTest, LeavesTheFileAsItWasIfAPlanCannotBeKept) {
  StoredPlan wrong = plan_for_size(9);
  wrong.vendor = "two\nlines";
  folder.write("plans", "not plans");
  EXPECT_THAT(merge(here, {wrong}), FailsWith(StatusCode::kInvalidArgument, HasSubstr(path)));
  EXPECT_EQ(bytes_of(path), "not plans");
}

TEST_F(PlanFileTest, RefusesAFileOfMoreThan64MiB) {
  folder.write("plans", "");
  std::filesystem::resize_file(path, (64u << 20) + 1);
  EXPECT_THAT(read_plan_file(path), FailsWith(StatusCode::kUnsupported, HasSubstr(path)));
}

// Gives up the rights of root, which can write anywhere, for as long as it lives.
class WithoutRoot {
 public:
  WithoutRoot() : user_(::geteuid()), is_done_(user_ != 0 || ::seteuid(kNobody) == 0) {}
  ~WithoutRoot() { EXPECT_EQ(::seteuid(user_), 0); }
  bool is_done() const { return is_done_; }

 private:
  static constexpr uid_t kNobody = 65534;
  uid_t user_;
  bool is_done_;
};

TEST_F(PlanFileTest, SaysThatTheFolderCannotBeWritten) {
  using std::filesystem::perms;
  std::filesystem::permissions(folder.path(), perms(0555));
  Status status;
  {
    const WithoutRoot without_root;
    if (!without_root.is_done()) GTEST_SKIP() << "root may write anywhere and cannot step down";
    status = merge(here, {plan_for_size(8)});
  }
  std::filesystem::permissions(folder.path(), perms(0755));
  EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable,
                                AllOf(HasSubstr(path), HasSubstr("give this user access"))));
}

// Merges plans of sizes [first, first + count), one at a time, in a child. As long as it takes:
// under load the other writer may hold the lock for longer than one merge waits.
pid_t fork_writer(const std::string& path, const Target& target, int64_t first, int64_t count) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (int64_t size = first; size < first + count; ++size) {
    const std::vector<StoredPlan> plans = {plan_for_size(size)};
    Status status;
    do {
      status = merge_into_plan_file(path, target, plans);
    } while (status.code() == StatusCode::kUnavailable);
    if (!status.ok()) ::_exit(1);
  }
  ::_exit(0);
}

bool ended_well(pid_t child) {
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(PlanFileTest, LosesNothingOfTwoWriters) {
  const pid_t first = fork_writer(path, here, 1, 15);
  const pid_t second = fork_writer(path, here, 101, 15);
  EXPECT_TRUE(ended_well(first));
  EXPECT_TRUE(ended_well(second));
  EXPECT_THAT(stored(here), SizeIs(30));
}

TEST_F(PlanFileTest, IsWholeWheneverItIsRead) {
  ASSERT_TRUE(merge(here, {plan_for_size(1000)}).ok());
  const pid_t writer = fork_writer(path, here, 1, 15);
  int status = 0;
  while (::waitpid(writer, &status, WNOHANG) == 0) EXPECT_TRUE(read_plan_file(path).ok());
  EXPECT_EQ(status, 0);
  EXPECT_THAT(stored(here), SizeIs(16));
}

}  // namespace
}  // namespace triode
