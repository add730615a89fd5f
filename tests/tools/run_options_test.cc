// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/settings.h"
#include "tests/core/status_matchers.h"

namespace triode::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RunOptions, ProgramAloneSetsNothing) {
  const auto options = parse_run_options({"ls"});
  EXPECT_THAT(options->command, ElementsAre("ls"));
  EXPECT_THAT(options->variables, IsEmpty());
  EXPECT_FALSE(options->help || options->version || options->json || options->quiet);
}

TEST(RunOptions, WhatFollowsTheProgramIsTheProgramsOwn) {
  const auto options = parse_run_options({"--quiet", "ls", "--mode", "x", "--", "--help", ""});
  EXPECT_THAT(options->command, ElementsAre("ls", "--mode", "x", "--", "--help", ""));
  EXPECT_TRUE(options->quiet);
  EXPECT_FALSE(options->help);
}

TEST(RunOptions, DashesEndTheOptions) {
  EXPECT_THAT(parse_run_options({"--", "--help", "x"})->command, ElementsAre("--help", "x"));
  EXPECT_THAT(parse_run_options({"--report", "--", "ls"})->command, ElementsAre("ls"));
}

TEST(RunOptions, TakesAValueInTheNextWordOrBehindEquals) {
  const Variable observe{"TRIODE_MODE", "observe"};
  EXPECT_THAT(parse_run_options({"--mode", "observe", "ls"})->variables, ElementsAre(observe));
  EXPECT_THAT(parse_run_options({"--mode=observe", "ls"})->variables, ElementsAre(observe));
}

TEST(RunOptions, ValueMayHoldEquals) {
  EXPECT_THAT(parse_run_options({"--cache=a=b", "ls"})->variables,
              ElementsAre(Variable{"TRIODE_CACHE", "a=b"}));
}

TEST(RunOptions, FlagMeansOne) {
  EXPECT_THAT(parse_run_options({"--report", "ls"})->variables,
              ElementsAre(Variable{"TRIODE_REPORT", "1"}));
}

TEST(RunOptions, JsonIsForTheReportAndTheVersion) {
  const auto options = parse_run_options({"--json", "--version"});
  EXPECT_TRUE(options->json);
  EXPECT_TRUE(options->version);
  EXPECT_THAT(options->variables, ElementsAre(Variable{"TRIODE_REPORT_JSON", "1"}));
}

TEST(RunOptions, EverySettingIsAnOption) {
  for (const SettingRow& row : setting_rows()) {
    const std::string first(row.value.substr(0, row.value.find('|')));
    const std::string value = row.value.starts_with("0..") ? "0" : first;
    const std::string option = std::string(row.option) + (row.is_flag ? "" : "=" + value);
    EXPECT_THAT(parse_run_options({option, "ls"})->variables,
                ElementsAre(Variable{std::string(row.variable), row.is_flag ? "1" : value}));
  }
}

TEST(RunOptions, HelpNamesEverySettingAndItsValue) {
  for (const SettingRow& row : setting_rows()) {
    const std::string value = row.is_flag ? "" : " " + std::string(row.value);
    EXPECT_THAT(std::string(help_text()), HasSubstr("- `" + std::string(row.option) + value + "`"));
    EXPECT_THAT(std::string(help_text()), HasSubstr("| `" + std::string(row.variable) + "` |"));
  }
}

TEST(RunOptions, UnknownOptionSuggestsTheNearest) {
  EXPECT_THAT(parse_run_options({"--repotr", "ls"}),
              FailsWith(StatusCode::kInvalidArgument,
                        "unknown option '--repotr' (did you mean '--report'?)"));
  EXPECT_THAT(
      parse_run_options({"--mod=tune", "ls"}),
      FailsWith(StatusCode::kInvalidArgument, "unknown option '--mod' (did you mean '--mode'?)"));
}

TEST(RunOptions, UnknownOptionFarFromAllSuggestsNone) {
  EXPECT_THAT(parse_run_options({"--frobnicate", "ls"}),
              FailsWith(StatusCode::kInvalidArgument, "unknown option '--frobnicate'"));
}

TEST(RunOptions, WrongValueListsTheValidOnes) {
  EXPECT_THAT(parse_run_options({"--mode", "fast", "ls"}),
              FailsWith(StatusCode::kInvalidArgument,
                        "--mode: \"fast\" is not a mode; expected off, observe, tune or frozen"));
  EXPECT_THAT(parse_run_options({"--threads", "-1", "ls"}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("expected 0 to 1024")));
  EXPECT_THAT(parse_run_options({"--cache=", "ls"}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("is not a path")));
}

TEST(RunOptions, ForgottenValueSaysWhatItTakes) {
  const auto forgotten = FailsWith(StatusCode::kInvalidArgument, "--plans needs a value: FILE");
  EXPECT_THAT(parse_run_options({"--plans"}), forgotten);
  EXPECT_THAT(parse_run_options({"--plans", "--json", "ls"}), forgotten);
}

TEST(RunOptions, FlagTakesNoValue) {
  EXPECT_THAT(parse_run_options({"--report=1", "ls"}),
              FailsWith(StatusCode::kInvalidArgument, "--report takes no value"));
  EXPECT_THAT(parse_run_options({"--quiet=1", "ls"}),
              FailsWith(StatusCode::kInvalidArgument, "--quiet takes no value"));
}

TEST(RunOptions, NoProgramIsWrong) {
  const auto missing = FailsWith(StatusCode::kInvalidArgument, HasSubstr("no program given"));
  EXPECT_THAT(parse_run_options({}), missing);
  EXPECT_THAT(parse_run_options({"--report"}), missing);
  EXPECT_THAT(parse_run_options({"--"}), missing);
}

TEST(RunOptions, HelpNeedsNoProgram) {
  EXPECT_TRUE(parse_run_options({"--help"})->help);
  EXPECT_TRUE(parse_run_options({"-h"})->help);
}

}  // namespace
}  // namespace triode::run
