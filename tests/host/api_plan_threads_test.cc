// SPDX-License-Identifier: Apache-2.0
// How many threads a plan may have, in a program whose BLAS tells how many it uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <triode/triode.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/host/api_use.h"
#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"
#include "tests/runtime/temporary_folder.h"

extern "C" void stand_in_set_threads(int count);

namespace triode {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void multiply() {
  SmallProduct<float> product;
  EXPECT_EQ(triode_gemm(&product.call), TRIODE_OK);
  EXPECT_TRUE(product.is_computed());
}

// The report of a process that made one call, and of a child of it that made the same, if any.
class ApiPlanThreads : public testing::Test {
 protected:
  void start(int vendors, int32_t most) {
    stand_in_set_threads(vendors);
    triode_options options = TRIODE_OPTIONS_INIT;
    options.mode = TRIODE_MODE_OBSERVE;
    options.threads = most;
    options.report_file = file_.c_str();
    options.report_json = 1;
    ASSERT_EQ(triode_init(&options), TRIODE_OK) << triode_last_error();
    multiply();
  }
  std::string report_of(int vendors, int32_t most) {
    in_fresh_process([&] {
      start(vendors, most);
      EXPECT_EQ(triode_shutdown(), TRIODE_OK);
    });
    return report();
  }
  std::string report() const {
    std::stringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }

  const TemporaryFolder folder_;
  const std::string file_ = (folder_.path() / "report").string();
};

TEST_F(ApiPlanThreads, AreTheVendors) {
  EXPECT_THAT(report_of(4, 0), HasSubstr("threads=4\""));
}

TEST_F(ApiPlanThreads, AreNoMoreThanAskedFor) {
  EXPECT_THAT(report_of(4, 2), HasSubstr("threads=2\""));
}

TEST_F(ApiPlanThreads, AreNoMoreThanTheVendors) {
  EXPECT_THAT(report_of(1, 8), Not(HasSubstr("threads=")));
}

TEST_F(ApiPlanThreads, TellCallsOfAnotherBudgetApart) {
  in_fresh_process([&] {
    start(8, 2);
    stand_in_set_threads(4);
    multiply();
    EXPECT_EQ(statistics().shapes, 2u);
  });
}

TEST_F(ApiPlanThreads, AreOneInAForkedChild) {
  in_fresh_process([&] {
    start(4, 0);
    const pid_t child = fork();
    if (child == 0) {
      multiply();
      triode_shutdown();
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  });
  EXPECT_THAT(report(), HasSubstr("\"calls\": 1,"));
  EXPECT_THAT(report(), Not(HasSubstr("threads=")));
}

}  // namespace
}  // namespace triode
