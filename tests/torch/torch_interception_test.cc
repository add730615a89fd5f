// SPDX-License-Identifier: Apache-2.0
// A program in C++ that has Triode in front of torch's matmuls. Every call that Triode takes is
// answered by a kernel of its own.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>
#include <triode/torch.h>

namespace triode {
namespace {

uint64_t answered() {
  triode_statistics statistics{};
  statistics.size = sizeof statistics;
  EXPECT_EQ(triode_stats(&statistics), TRIODE_OK);
  return statistics.triode_calls;
}

class TorchInterception : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    triode_options options = TRIODE_OPTIONS_INIT;
    options.mode = TRIODE_MODE_OBSERVE;
    options.force_plans = TRIODE_FORCE_FIRST;
    ASSERT_EQ(triode_init(&options), TRIODE_OK) << triode_last_error();
  }
  void SetUp() override {
    ASSERT_EQ(triode_torch_intercept(), TRIODE_OK) << triode_torch_last_error();
  }
  void TearDown() override { EXPECT_EQ(triode_torch_release(), TRIODE_OK); }

  const at::Tensor a_ = at::randn({12, 20}, at::kDouble);
  const at::Tensor b_ = at::randn({20, 16}, at::kDouble);
};

TEST_F(TorchInterception, AnswersMatmulsOfAProgramInCpp) {
  const uint64_t before = answered();
  const at::Tensor product = at::mm(a_, b_);
  EXPECT_EQ(answered(), before + 1);
  const at::Tensor wanted = (a_.unsqueeze(2) * b_.unsqueeze(0)).sum(1);
  EXPECT_TRUE(at::allclose(product, wanted));
  EXPECT_TRUE(at::allclose(at::addmm(wanted, a_, b_, 1, -1), wanted - product));
  EXPECT_TRUE(at::allclose(at::bmm(a_.unsqueeze(0), b_.unsqueeze(0))[0], wanted));
  EXPECT_EQ(answered(), before + 3);
}

TEST_F(TorchInterception, PassesWhatIsNotItsOwn) {
  const uint64_t before = answered(), passed = triode_torch_passed();
  EXPECT_EQ(at::mm(a_.to(at::kBFloat16), b_.to(at::kBFloat16)).size(1), 16);
  EXPECT_THROW(at::mm(a_, a_), c10::Error);
  EXPECT_EQ(answered(), before);
  EXPECT_EQ(triode_torch_passed(), passed + 2);
}

TEST_F(TorchInterception, IsNotWarnedOf) {
  ASSERT_EQ(triode_torch_release(), TRIODE_OK);
  const c10::WarningUtils::WarnAlways always;  // torch says it once in a process
  testing::internal::CaptureStderr();
  EXPECT_EQ(triode_torch_intercept(), TRIODE_OK);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(TorchInterception, IsGoneAfterRelease) {
  ASSERT_EQ(triode_torch_intercept(), TRIODE_OK);  // again
  ASSERT_EQ(triode_torch_release(), TRIODE_OK);
  const uint64_t before = answered();
  EXPECT_TRUE(at::mm(a_, b_).defined());
  EXPECT_EQ(answered(), before);
}

}  // namespace
}  // namespace triode
