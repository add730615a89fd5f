// SPDX-License-Identifier: Apache-2.0
#include "tools/run/program_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::run {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

VariableLookup environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

const VariableLookup kEmpty = environment_of({});

std::string in_current_folder(const std::string& name) {
  return (std::filesystem::current_path() / name).string();
}

TEST(ProgramVariables, AreThoseOfTheOptions) {
  EXPECT_THAT(program_variables({{"TRIODE_THREADS", "2"}}, kEmpty).value(),
              ElementsAre(Variable{"TRIODE_THREADS", "2"}));
  EXPECT_THAT(program_variables({}, kEmpty).value(), IsEmpty());
}

TEST(ProgramVariables, OptionBeatsEnvironment) {
  EXPECT_THAT(
      program_variables({{"TRIODE_MODE", "off"}}, environment_of({{"TRIODE_MODE", "x"}})).value(),
      ElementsAre(Variable{"TRIODE_MODE", "off"}));
}

TEST(ProgramVariables, LastOptionBeatsTheFirst) {
  EXPECT_THAT(program_variables({{"TRIODE_MODE", "off"}, {"TRIODE_MODE", "tune"}}, kEmpty).value(),
              ElementsAre(Variable{"TRIODE_MODE", "tune"}));
}

TEST(ProgramVariables, LeaveOutWhatTheEnvironmentHolds) {
  const auto environment = environment_of({{"TRIODE_MODE", "off"}, {"TRIODE_CACHE", "/a"}});
  EXPECT_THAT(program_variables({{"TRIODE_MODE", "off"}}, environment).value(), IsEmpty());
}

TEST(ProgramVariables, PathsOfOptionsBecomeAbsolute) {
  EXPECT_THAT(
      program_variables(
          {{"TRIODE_CACHE", "a b"}, {"TRIODE_PLANS", "/plans"}, {"TRIODE_REPORT_FILE", "../r"}},
          kEmpty)
          .value(),
      ElementsAre(Variable{"TRIODE_CACHE", in_current_folder("a b")},
                  Variable{"TRIODE_PLANS", "/plans"},
                  Variable{"TRIODE_REPORT_FILE", in_current_folder("../r")}));
}

TEST(ProgramVariables, PathsOfTheEnvironmentBecomeAbsolute) {
  EXPECT_THAT(program_variables({}, environment_of({{"TRIODE_CACHE", "a"}})).value(),
              ElementsAre(Variable{"TRIODE_CACHE", in_current_folder("a")}));
}

TEST(ProgramVariables, EmptyPathStaysNotSet) {
  EXPECT_THAT(program_variables({}, environment_of({{"TRIODE_CACHE", ""}})).value(), IsEmpty());
}

TEST(ProgramVariables, WrongVariableIsNamedWithTheValidValues) {
  EXPECT_THAT(program_variables({}, environment_of({{"TRIODE_MODE", "fast"}})),
              FailsWith(StatusCode::kInvalidArgument,
                        AllOf(StartsWith("TRIODE_MODE: "), HasSubstr("observe, tune or frozen"))));
}

TEST(ProgramVariables, FrozenWithoutPlansIsWrong) {
  EXPECT_THAT(program_variables({{"TRIODE_MODE", "frozen"}}, kEmpty),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("--plans FILE")));
}

TEST(ProgramVariables, FrozenNeedsAFileThatCanBeRead) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "plans").string();
  const std::vector<Variable> given = {{"TRIODE_MODE", "frozen"}, {"TRIODE_PLANS", path}};
  EXPECT_THAT(program_variables(given, kEmpty),
              FailsWith(StatusCode::kNotFound, AllOf(HasSubstr(path), HasSubstr("--plans"))));
  folder.write("plans", "");
  EXPECT_THAT(program_variables(given, kEmpty).value(), ElementsAre(given[0], given[1]));
}

TEST(ProgramVariables, FolderIsNoFileOfPlans) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      program_variables({{"TRIODE_MODE", "frozen"}, {"TRIODE_PLANS", folder.path()}}, kEmpty),
      FailsWith(StatusCode::kNotFound, HasSubstr("it is a folder")));
}

TEST(ProgramVariables, OtherModesDoNotLookForThePlans) {
  EXPECT_TRUE(program_variables({{"TRIODE_PLANS", "/nonexistent"}}, kEmpty).ok());
}

}  // namespace
}  // namespace triode::run
