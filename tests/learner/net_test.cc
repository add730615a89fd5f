// SPDX-License-Identifier: Apache-2.0
#include "learner/model/net.h"

#include <gtest/gtest.h>

#include <limits>

#include "learner/model/feature_table.h"
#include "tests/core/status_matchers.h"
#include "tests/learner/small_model.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

class NetCheck : public ::testing::Test {
 protected:
  Status check() const { return net.validate(feature_table(DeviceKind::kGpu).size()); }
  Net net = drawn_net(NetRole::kRank, 1);
};

TEST_F(NetCheck, AcceptsASoundNet) {
  EXPECT_TRUE(check().ok());
}
TEST_F(NetCheck, RefusesLayersThatDoNotFitEachOther) {
  net.layers[1].inputs += 1;
  EXPECT_THAT(check(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("layer 1")));
}
TEST_F(NetCheck, RefusesMissingWeights) {
  net.layers[1].weights.pop_back();
  EXPECT_THAT(check(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("lacks weights")));
}
TEST_F(NetCheck, RefusesAWeightThatIsNotFinite) {
  net.layers[0].weights[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(check(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("not finite")));
}
TEST_F(NetCheck, RefusesFeaturesThatAreNotThere) {
  net.inputs.back() = 5000;
  EXPECT_THAT(check(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("features")));
}
TEST_F(NetCheck, RefusesAFeatureReadTwice) {
  net.inputs[1] = net.inputs[0];
  EXPECT_THAT(check(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("twice")));
}
TEST_F(NetCheck, RefusesASecondOutput) {
  net.layers.pop_back();
  EXPECT_THAT(check(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("one output")));
}

}  // namespace
}  // namespace triode
