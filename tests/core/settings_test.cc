// SPDX-License-Identifier: Apache-2.0
#include "core/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

using Variables = std::map<std::string, std::string>;

VariableLookup lookup_in(Variables variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

const SettingRow& row_of(std::string_view variable) {
  for (const SettingRow& row : setting_rows()) {
    if (row.variable == variable) return row;
  }
  ADD_FAILURE() << "no row for " << variable;
  return setting_rows().front();
}

// Names of the fields that are not at their default. The binding stops compiling when a field is
// added, until it is named here too.
std::vector<std::string> changed_fields(const Settings& settings) {
  const auto& [mode, cache, plans, report, report_json, report_file, threads, force_plans,
               cache_sync, tuner, trust_model] = settings;
  const Settings fresh;
  std::vector<std::string> names;
  if (mode != fresh.mode) names.emplace_back("mode");
  if (cache != fresh.cache) names.emplace_back("cache");
  if (plans != fresh.plans) names.emplace_back("plans");
  if (report != fresh.report) names.emplace_back("report");
  if (report_json != fresh.report_json) names.emplace_back("report_json");
  if (report_file != fresh.report_file) names.emplace_back("report_file");
  if (threads != fresh.threads) names.emplace_back("threads");
  if (force_plans != fresh.force_plans) names.emplace_back("force_plans");
  if (cache_sync != fresh.cache_sync) names.emplace_back("cache_sync");
  if (tuner != fresh.tuner) names.emplace_back("tuner");
  if (trust_model != fresh.trust_model) names.emplace_back("trust_model");
  return names;
}
constexpr size_t kFieldCount = 11;

// A row, a value that is not the default, and what it does.
struct Example {
  std::string_view variable;
  std::string_view option;
  std::string_view text;
  std::string_view field;
  bool is_flag;
  bool is_path;
};

const Example kExamples[] = {
    {"TRIODE_MODE", "--mode", "observe", "mode", false, false},
    {"TRIODE_CACHE", "--cache", "plans of today", "cache", false, true},
    {"TRIODE_PLANS", "--plans", "/tmp/plans", "plans", false, true},
    {"TRIODE_REPORT", "--report", "1", "report", true, false},
    {"TRIODE_REPORT_JSON", "--json", "1", "report_json", true, false},
    {"TRIODE_REPORT_FILE", "--report-file", "report.txt", "report_file", false, true},
    {"TRIODE_THREADS", "--threads", "3", "threads", false, false},
    {"TRIODE_FORCE_PLANS", "--force-plans", "random", "force_plans", false, false},
    {"TRIODE_CACHE_SYNC", "--cache-sync", "every", "cache_sync", false, false},
    {"TRIODE_TUNER", "--tuner", "in-process", "tuner", false, false},
    {"TRIODE_TRUST_MODEL", "--trust-model", "1", "trust_model", true, false},
};

class EverySetting : public ::testing::TestWithParam<Example> {};

TEST_P(EverySetting, HasItsOption) {
  const SettingRow& row = row_of(GetParam().variable);
  EXPECT_EQ(row.option, GetParam().option);
  EXPECT_EQ(row.is_flag, GetParam().is_flag);
  EXPECT_EQ(row.is_path, GetParam().is_path);
  EXPECT_FALSE(row.value.empty());
}

TEST_P(EverySetting, SetsItsFieldAndNoOther) {
  Settings settings;
  ASSERT_TRUE(row_of(GetParam().variable).assign(settings, GetParam().text).ok());
  EXPECT_THAT(changed_fields(settings), ElementsAre(GetParam().field));
}

TEST_P(EverySetting, IsReadFromItsVariable) {
  Settings assigned;
  ASSERT_TRUE(row_of(GetParam().variable).assign(assigned, GetParam().text).ok());
  assigned.report = assigned.report || assigned.report_json || !assigned.report_file.empty();
  const auto read =
      read_settings(lookup_in({{std::string(GetParam().variable), std::string(GetParam().text)}}));
  EXPECT_EQ(read.value(), assigned);
}

TEST_P(EverySetting, EmptyVariableCountsAsNotSet) {
  EXPECT_EQ(read_settings(lookup_in({{std::string(GetParam().variable), ""}})).value(), Settings());
}

TEST_P(EverySetting, EmptyTextIsNoValue) {
  Settings settings;
  EXPECT_THAT(row_of(GetParam().variable).assign(settings, ""),
              FailsWith(StatusCode::kInvalidArgument, StartsWith("\"\" is not ")));
  EXPECT_EQ(settings, Settings());
}

INSTANTIATE_TEST_SUITE_P(Settings, EverySetting, ::testing::ValuesIn(kExamples),
                         [](const auto& test) { return std::string(test.param.field); });

TEST(SettingRows, AreTheExamplesInTheirOrder) {
  std::vector<std::string_view> rows;
  for (const SettingRow& row : setting_rows()) rows.push_back(row.variable);
  std::vector<std::string_view> examples;
  for (const Example& example : kExamples) examples.push_back(example.variable);
  EXPECT_EQ(rows, examples);
}

TEST(CheckSettings, TrustNeedsATunerThatHasAModel) {
  Settings settings;
  settings.trust_model = true;
  EXPECT_TRUE(check_settings(settings).ok());
  settings.tuner = TunerPlace::kLocalSearch;
  EXPECT_THAT(check_settings(settings),
              FailsWith(StatusCode::kInvalidArgument, ::testing::HasSubstr("--trust-model")));
}

// The words of "off|observe|tune".
std::vector<std::string> words_of(std::string_view alternatives) {
  std::vector<std::string> words(1);
  for (const char c : alternatives) {
    if (c == '|') words.emplace_back();
    if (c != '|') words.back() += c;
  }
  return words;
}

TEST(SettingRows, TakeWhatTheirHelpNames) {
  Settings settings;
  for (const char* variable : {"TRIODE_MODE", "TRIODE_REPORT", "TRIODE_REPORT_JSON",
                               "TRIODE_FORCE_PLANS", "TRIODE_CACHE_SYNC"}) {
    const SettingRow& row = row_of(variable);
    for (const std::string& word : words_of(row.value)) {
      EXPECT_TRUE(row.assign(settings, word).ok()) << variable << "=" << word;
    }
  }
}

TEST(SettingRows, ReachEveryField) {
  std::set<std::string_view> fields;
  for (const Example& example : kExamples) fields.insert(example.field);
  EXPECT_THAT(fields, SizeIs(kFieldCount));
}

class EveryMode : public ::testing::TestWithParam<std::pair<Mode, std::string_view>> {};

TEST_P(EveryMode, HasItsNameAndParsesBack) {
  EXPECT_EQ(to_string(GetParam().first), GetParam().second);
  EXPECT_EQ(parse_mode(GetParam().second).value(), GetParam().first);
}

TEST_P(EveryMode, CanBeSet) {
  const auto settings = read_settings(lookup_in({{"TRIODE_MODE", std::string(GetParam().second)}}));
  EXPECT_EQ(settings.value().mode, GetParam().first);
}

INSTANTIATE_TEST_SUITE_P(Settings, EveryMode,
                         ::testing::Values(std::pair(Mode::kOff, "off"),
                                           std::pair(Mode::kObserve, "observe"),
                                           std::pair(Mode::kTune, "tune"),
                                           std::pair(Mode::kFrozen, "frozen")));

class EveryForcedPlans : public ::testing::TestWithParam<std::pair<ForcedPlans, std::string>> {};

TEST_P(EveryForcedPlans, CanBeSet) {
  const auto settings = read_settings(lookup_in({{"TRIODE_FORCE_PLANS", GetParam().second}}));
  EXPECT_EQ(settings.value().force_plans, GetParam().first);
}

INSTANTIATE_TEST_SUITE_P(Settings, EveryForcedPlans,
                         ::testing::Values(std::pair(ForcedPlans::kOff, "off"),
                                           std::pair(ForcedPlans::kFirst, "first"),
                                           std::pair(ForcedPlans::kRandom, "random")));

// A wrong value, and how the message ends after naming variable and value.
struct WrongValue {
  std::string variable;
  std::string text;
  std::string rest;
};

class WrongValues : public ::testing::TestWithParam<WrongValue> {};

TEST_P(WrongValues, NameTheVariableTheValueAndTheValidOnes) {
  const auto& [variable, text, rest] = GetParam();
  EXPECT_THAT(
      read_settings(lookup_in({{variable, text}})),
      FailsWith(StatusCode::kInvalidArgument, variable + ": \"" + text + "\" is not " + rest));
}

const std::string kModeValues = "a mode; expected off, observe, tune or frozen";
const std::string kThreadValues = "a number of threads; expected 0 to 1024";
const std::string kForcedValues = "a choice of plans; expected off, first or random";

INSTANTIATE_TEST_SUITE_P(
    Settings, WrongValues,
    ::testing::Values(WrongValue{"TRIODE_MODE", "fast", kModeValues},
                      WrongValue{"TRIODE_MODE", "Tune", kModeValues},
                      WrongValue{"TRIODE_MODE", " tune", kModeValues},
                      WrongValue{"TRIODE_REPORT", "yes", "a switch; expected 0 or 1"},
                      WrongValue{"TRIODE_REPORT", "2", "a switch; expected 0 or 1"},
                      WrongValue{"TRIODE_REPORT_JSON", "true", "a switch; expected 0 or 1"},
                      WrongValue{"TRIODE_THREADS", "-1", kThreadValues},
                      WrongValue{"TRIODE_THREADS", "1025", kThreadValues},
                      WrongValue{"TRIODE_THREADS", "99999999999", kThreadValues},
                      WrongValue{"TRIODE_THREADS", "4 ", kThreadValues},
                      WrongValue{"TRIODE_THREADS", "+4", kThreadValues},
                      WrongValue{"TRIODE_THREADS", "4.0", kThreadValues},
                      WrongValue{"TRIODE_THREADS", "all", kThreadValues},
                      WrongValue{"TRIODE_FORCE_PLANS", "1", kForcedValues},
                      WrongValue{"TRIODE_CACHE_SYNC", "always",
                                 "a sync level; expected none, batch or every"}));

TEST(ReadSettings, NothingSetIsTheDefaults) {
  EXPECT_EQ(read_settings(lookup_in({})).value(), Settings());
  EXPECT_EQ(Settings().mode, Mode::kTune);
}

TEST(ReadSettings, ReadsEveryVariable) {
  Variables variables;
  for (const Example& example : kExamples) variables.emplace(example.variable, example.text);
  EXPECT_THAT(changed_fields(read_settings(lookup_in(variables)).value()), SizeIs(kFieldCount));
}

TEST(ReadSettings, FirstWrongVariableIsTheError) {
  const auto settings =
      read_settings(lookup_in({{"TRIODE_FORCE_PLANS", "x"}, {"TRIODE_THREADS", "y"}}));
  EXPECT_THAT(settings, FailsWith(StatusCode::kInvalidArgument, StartsWith("TRIODE_THREADS: ")));
}

TEST(ReadSettings, TakesTheLeastAndTheMostThreads) {
  EXPECT_EQ(read_settings(lookup_in({{"TRIODE_THREADS", "0"}})).value().threads, 0);
  EXPECT_EQ(read_settings(lookup_in({{"TRIODE_THREADS", "1024"}})).value().threads, 1024);
}

TEST(ReadSettings, SwitchCanBeOff) {
  EXPECT_FALSE(read_settings(lookup_in({{"TRIODE_REPORT", "0"}})).value().report);
  EXPECT_FALSE(read_settings(lookup_in({{"TRIODE_REPORT_JSON", "0"}})).value().report);
}

TEST(ReadSettings, JsonOrFileImpliesReport) {
  EXPECT_TRUE(read_settings(lookup_in({{"TRIODE_REPORT_JSON", "1"}})).value().report);
  EXPECT_TRUE(read_settings(lookup_in({{"TRIODE_REPORT_FILE", "f"}})).value().report);
  EXPECT_TRUE(read_settings(lookup_in({{"TRIODE_REPORT", "0"}, {"TRIODE_REPORT_FILE", "f"}}))
                  .value()
                  .report);
}

TEST(ReadSettings, ReadsTheEnvironment) {
  ASSERT_EQ(setenv("TRIODE_THREADS", "7", 1), 0);
  const auto settings = read_settings_from_environment();
  unsetenv("TRIODE_THREADS");
  EXPECT_EQ(settings.value().threads, 7);
}

TEST(CheckSettings, FrozenNeedsAFileOfPlans) {
  Settings settings;
  settings.mode = Mode::kFrozen;
  EXPECT_THAT(check_settings(settings),
              FailsWith(StatusCode::kInvalidArgument,
                        ::testing::AllOf(HasSubstr("--plans FILE"), HasSubstr("TRIODE_PLANS"))));
  settings.plans = "plans";
  EXPECT_TRUE(check_settings(settings).ok());
}

TEST(CheckSettings, FrozenHasNoForcedPlans) {
  Settings settings;
  settings.mode = Mode::kFrozen;
  settings.plans = "plans";
  settings.force_plans = ForcedPlans::kFirst;
  EXPECT_THAT(check_settings(settings),
              FailsWith(StatusCode::kInvalidArgument,
                        ::testing::AllOf(HasSubstr("--force-plans"), HasSubstr("--mode frozen"))));
  settings.mode = Mode::kObserve;
  EXPECT_TRUE(check_settings(settings).ok());
}

TEST(CheckSettings, OtherModesNeedNone) {
  for (const Mode mode : {Mode::kOff, Mode::kObserve, Mode::kTune}) {
    Settings settings;
    settings.mode = mode;
    EXPECT_TRUE(check_settings(settings).ok());
  }
}

TEST(Mode, UnknownNameListsTheModes) {
  EXPECT_THAT(parse_mode("on"),
              FailsWith(StatusCode::kInvalidArgument,
                        "\"on\" is not a mode; expected off, observe, tune or frozen"));
  EXPECT_THAT(parse_mode(""), FailsWith(StatusCode::kInvalidArgument, _));
}

}  // namespace
}  // namespace triode
