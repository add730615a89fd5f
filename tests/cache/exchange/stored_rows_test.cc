// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/stored_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cache/exchange/device_text.h"
#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

TEST(StoredRows, ComeBackAsTheyWere) {
  const SourceFile file = golden_file("diode_dataset.json");
  auto table = read_exchange(ExchangeFormat::kDiodeDataset, file, {});
  ASSERT_TRUE(table.ok());
  std::vector<KeyedTrial> trials =
      trials_of(*table, ExchangeFormat::kDiodeDataset, file.base_name());
  std::reverse(trials.begin(), trials.end());
  ExchangeTable again;
  for (const KeyedTrial& trial : trials) {
    EXPECT_EQ(trial.record.origin, "diode-dataset");
    const auto row = row_of(trial.key, trial.record);
    ASSERT_TRUE(row.ok()) << row.status().message();
    again.rows.push_back(*row);
  }
  restore_order(again.rows);
  DropList dropped;
  const auto written = write_exchange(ExchangeFormat::kDiodeDataset, again, dropped);
  EXPECT_EQ(written->front().bytes, file.bytes());
  EXPECT_EQ(dropped.count(), 0);
}

// A file may hold one row twice; both come out again.
TEST(StoredRows, TellRowsApartThatAreAlike) {
  const SourceFile file = golden_file("diode_dataset.json");
  auto table = read_exchange(ExchangeFormat::kDiodeDataset, file, {});
  ASSERT_TRUE(table.ok());
  table->rows.push_back(table->rows[0]);
  table->rows.push_back(table->rows[0]);
  const auto trials = trials_of(*table, ExchangeFormat::kDiodeDataset, file.base_name());
  EXPECT_FALSE(trials[0].record.extra.contains(kCopyInSource));
  EXPECT_EQ(trials[trials.size() - 2].record.extra.at(kCopyInSource), "1");
  EXPECT_EQ(trials[trials.size() - 1].record.extra.at(kCopyInSource), "2");
}

TEST(StoredRows, AreRefusedIfTheirTextsMakeNoSense) {
  EXPECT_FALSE(row_of({"d", "no problem", "a=1", {}}, {}).ok());
  EXPECT_FALSE(row_of({"d", "mm f32 1x1x1 nn", "a b c", {}}, {}).ok());
}

TEST(DeviceText, GivesTheTargetAgain) {
  Target target;
  target.device = "A | B\\C\nD";
  target.isa = "sm_80";
  target.toolchain = "t";
  target.driver = "550";
  target.cores = 108;
  target.l1_bytes = 1;
  target.l2_bytes = 2;
  target.l3_bytes = 3;
  EXPECT_EQ(target_of(device_of(target), validity_of(target)), target);
  EXPECT_EQ(target_of("just a name", {}).device, "just a name");
}

}  // namespace
}  // namespace triode::exchange
