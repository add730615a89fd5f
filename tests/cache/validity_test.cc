// SPDX-License-Identifier: Apache-2.0
#include "cache/validity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cache/cache_path.h"
#include "tests/core/status_matchers.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

TEST(Validity, IsWhatATargetHasBesidesItsDevice) {
  Target target;
  target.device = "some|cpu";
  target.isa = "avx2";
  target.toolchain = "emitter 1";
  target.driver = "550";
  target.cores = 8;
  EXPECT_EQ(validity_of(target), (Validity{"emitter 1", "550", "", ""}));
  EXPECT_EQ(device_of(target), "some\\|cpu|avx2|8|0|0|0");
  EXPECT_EQ(device_name(device_of(target)), "some|cpu");
}

TEST(Validity, UpdatesChangeItAndNotTheDevice) {
  Target before;
  before.device = "gpu";
  Target after = before;
  after.driver = "560";
  after.toolchain = "triton 3.5";
  EXPECT_EQ(device_of(before), device_of(after));
  EXPECT_EQ(why_prior(validity_of(before), validity_of(after)),
            "toolchain none, now triton 3.5; driver none, now 560");
  EXPECT_EQ(why_prior(validity_of(after), validity_of(after)), "");
}

Result<std::string> path_with(const Settings& settings, std::map<std::string, std::string> set) {
  return cache_path(settings, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(CachePath, PrefersTheSettingThenTheUsersFolders) {
  Settings settings;
  EXPECT_EQ(path_with(settings, {{"HOME", "/h"}}).take(), "/h/.cache/triode/store");
  EXPECT_EQ(path_with(settings, {{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).take(),
            "/x/triode/store");
  settings.cache = "/mine";
  EXPECT_EQ(path_with(settings, {{"HOME", "/h"}}).take(), "/mine/store");
}

TEST(CachePath, SaysWhatToSetWhereThereIsNone) {
  EXPECT_THAT(path_with({}, {}), FailsWith(StatusCode::kNotFound, HasSubstr("TRIODE_CACHE")));
}

}  // namespace
}  // namespace triode
