// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Metrics, CountsByNameAndLabel) {
  Metrics metrics;
  metrics.count("trials", "outcome=ok");
  metrics.count("trials", "outcome=ok", 2);
  metrics.count("trials", "outcome=crashed");
  const std::vector<Metric> all = metrics.all();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].label, "outcome=crashed");
  EXPECT_EQ(all[0].total(), 1u);
  EXPECT_EQ(all[1].total(), 3u);
}

TEST(Metrics, SortsValuesIntoBounds) {
  Metrics metrics;
  for (const double value : {0.0, 1.0, 1.5, 1e9}) metrics.observe("seconds", value);
  metrics.observe("seconds", NAN);
  const Metric metric = metrics.all().at(0);
  ASSERT_EQ(metric.counts.size(), metric.bounds.size() + 1);
  EXPECT_EQ(metric.total(), 4u);
  EXPECT_EQ(metric.counts.front(), 1u);
  EXPECT_EQ(metric.counts.back(), 1u);
  const auto one = std::find(metric.bounds.begin(), metric.bounds.end(), 1.0);
  ASSERT_NE(one, metric.bounds.end());
  const auto at_one = static_cast<size_t>(one - metric.bounds.begin());
  EXPECT_EQ(metric.counts[at_one], 1u) << "a bound is part of what is below it";
  EXPECT_EQ(metric.counts[at_one + 1], 1u);
}

TEST(Metrics, TakesAllThreadsAtOnce) {
  Metrics metrics;
  const auto count = [&metrics] {
    for (int i = 0; i < 1000; ++i) metrics.count("trials");
  };
  std::thread one(count), other(count);
  one.join();
  other.join();
  EXPECT_EQ(metrics.all().at(0).total(), 2000u);
}

TEST(Metrics, ArePrintedAsPrometheusReadsThem) {
  Metrics metrics;
  metrics.count("trials", "outcome=ok", 7);
  metrics.count("trials", "outcome=wrong", 1);
  metrics.observe("search_seconds", 0.3);
  const std::string text = to_prometheus(metrics.all());
  EXPECT_THAT(text, HasSubstr("# TYPE triode_tuner_trials_total counter\n"
                              "triode_tuner_trials_total{outcome=\"ok\"} 7\n"
                              "triode_tuner_trials_total{outcome=\"wrong\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("triode_tuner_search_seconds_bucket{le=\"0.2\"} 0\n"
                              "triode_tuner_search_seconds_bucket{le=\"0.5\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"+Inf\"} 1\n"
                              "triode_tuner_search_seconds_sum 0.3\n"
                              "triode_tuner_search_seconds_count 1\n"));
}

}  // namespace
}  // namespace triode::tuner
