// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_file_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "core/crc32.h"
#include "tests/core/status_matchers.h"
#include "tests/core/text_mutation.h"
#include "tests/host/stored_plans.h"

namespace triode {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char kLine[] =
    "mm f32 8x8x8 nn\tmr=6 nr=16\tlibblas.so.3 sgemm\t0123456789abcdef\t1.5\t1500\t1000\n";

std::string with_header(const std::string& body) {
  std::string header(64, '\0');
  const int length = std::snprintf(header.data(), header.size(), "triode-plans 1 %08x %zu\n",
                                   crc32(body), body.size());
  header.resize(static_cast<size_t>(length));
  return header + body;
}

Result<PlanFile> parse(const std::string& bytes) {
  return parse_plan_file(bytes, "a/plans");
}

PlanFile two_sections() {
  return {{{some_target(2).fingerprint(), {plan_for_size(8), plan_for_size(9)}},
           {some_target(4).fingerprint(), {plan_for_size(8)}}}};
}

TEST(PlanFileText, IsWrittenLikeThis) {
  StoredPlan plan = plan_for_size(8);
  plan.config = "mr=6 nr=16";
  plan.vendor = "libblas.so.3 sgemm";
  plan.speedup = 1.5;
  plan.vendor_ns = 1500;
  EXPECT_EQ(format_plan_file({{{"x|y", {plan}}}}).take(),
            with_header("target x|y\n" + std::string(kLine)));
}

TEST(PlanFileText, GivesBackWhatWasWritten) {
  EXPECT_EQ(parse(format_plan_file(two_sections()).take()).take(), two_sections());
}

TEST(PlanFileText, GivesBackAFileOfNothing) {
  EXPECT_EQ(parse(format_plan_file({}).take()).take(), PlanFile());
}

TEST(PlanFileText, GivesBackAnyPlan) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const PlanFile file = {{{"t", {random_plan(random)}}}};
    EXPECT_EQ(parse(format_plan_file(file).take()).take(), file);
  }
}

TEST(PlanFileText, GivesBackTheExtremesOfNumbers) {
  StoredPlan plan = plan_for_size(8);
  plan.code_digest = std::numeric_limits<uint64_t>::max();
  plan.speedup = std::numeric_limits<double>::max();
  plan.vendor_ns = std::numeric_limits<double>::denorm_min();
  plan.plan_ns = 0.1;
  const PlanFile file = {{{"t", {plan}}}};
  EXPECT_EQ(parse(format_plan_file(file).take()).take(), file);
}

TEST(PlanFileText, RefusesEveryFlippedBit) {
  const std::string text = format_plan_file(two_sections()).take();
  for (size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(parse(flipped).ok()) << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

TEST(PlanFileText, RefusesEveryByteInThePlaceOfAnother) {
  const std::string text = format_plan_file({{{"t", {plan_for_size(8)}}}}).take();
  for (size_t i = 0; i < text.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = text;
      changed[i] = static_cast<char>(value);
      EXPECT_TRUE(changed == text || !parse(changed).ok()) << "byte " << i << " as " << value;
    }
  }
}

TEST(PlanFileText, RefusesEveryTruncation) {
  const std::string text = format_plan_file(two_sections()).take();
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_THAT(parse(text.substr(0, length)),
                FailsWith(StatusCode::kCorrupt, HasSubstr("plan file a/plans, line 1: ")))
        << length << " bytes";
  }
}

TEST(PlanFileText, RefusesBytesBehindTheEnd) {
  const std::string text = format_plan_file(two_sections()).take();
  EXPECT_THAT(parse(text + "x"), FailsWith(StatusCode::kCorrupt, HasSubstr("bytes, and")));
  EXPECT_THAT(parse(text + text), FailsWith(StatusCode::kCorrupt, HasSubstr("bytes, and")));
}

TEST(PlanFileText, NeverGivesOtherPlansForMutatedText) {
  const PlanFile file = two_sections();
  const std::string text = format_plan_file(file).take();
  Random random(2);
  for (int i = 0; i < 20'000; ++i) {
    const Result<PlanFile> read = parse(mutated(text, random));
    EXPECT_TRUE(!read.ok() || *read == file);
  }
}

TEST(PlanFileText, SurvivesMutatedTextUnderARightChecksum) {
  const std::string body = "target t\n" + std::string(kLine);
  Random random(3);
  for (int i = 0; i < 20'000; ++i) {
    const Result<PlanFile> read = parse(with_header(mutated(body, random)));
    EXPECT_TRUE(!read.ok() || parse(format_plan_file(*read).take()).take() == *read);
  }
}

TEST(PlanFileText, TellsANewerFormatFromDamage) {
  EXPECT_THAT(parse("triode-plans 2 something else\n"),
              FailsWith(StatusCode::kUnsupported, AllOf(StartsWith("plan file a/plans, line 1: "),
                                                        HasSubstr("Update Triode"))));
}

TEST(PlanFileText, SaysWhatIsWrongWithTheHeader) {
  const auto header = [](const std::string& text) { return parse(text).status().message(); };
  EXPECT_THAT(header(""), HasSubstr("line 1: the line has no end"));
  EXPECT_THAT(header("{}\n"), HasSubstr("line 1: the header of a plan file is missing"));
  EXPECT_THAT(header("triode-plans x 0 0\n"), HasSubstr("line 1: the header has no version"));
  EXPECT_THAT(header("triode-plans 0 00000000 0\n"), HasSubstr("the header has no version"));
  EXPECT_THAT(header("triode-plans 1 00000000 5\n"), HasSubstr("names 5 bytes, and 0 follow"));
  EXPECT_THAT(header("triode-plans 1 00000001 0\n"), HasSubstr("the checksum does not match"));
}

struct WrongBody {
  std::string body;
  const char* message;
};

class PlanFileTextWrong : public ::testing::TestWithParam<WrongBody> {};

TEST_P(PlanFileTextWrong, NamesTheLineAndTheFault) {
  EXPECT_THAT(parse(with_header(GetParam().body)),
              FailsWith(StatusCode::kCorrupt,
                        AllOf(HasSubstr(GetParam().message), HasSubstr("restore a copy"))));
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, PlanFileTextWrong,
    ::testing::Values(
        WrongBody{kLine, "line 2: there is no target line above"},
        WrongBody{"target t", "line 2: the line has no end"},
        WrongBody{"target \n", "line 2: the target is empty"},
        WrongBody{"target t\n\n", "line 3: a plan has 7 fields"},
        WrongBody{"target t\ntarget t\n", "line 3: the target has a section above already"},
        WrongBody{std::string("target t\n") + kLine + kLine,
                  "line 4: there is a plan for this problem and vendor above already"},
        WrongBody{"target t\nmm f32 8x8x8 nn\tc\tv\t0123456789abcdef\t1\t1\n",
                  "line 3: a plan has 7 fields"},
        WrongBody{"target t\nmm f32 8x8x8 nn\tc\tv\t0123456789abcdef\t1\t1\t1\t1\n",
                  "line 3: a plan has 7 fields"},
        WrongBody{"target t\nmm f31 8x8x8 nn\tc\tv\t0123456789abcdef\t1\t1\t1\n",
                  "line 3: problem text, column 4: "},
        WrongBody{"target t\nmm f32 8x8x8 nn\tc\tv\t123456789abcdef\t1\t1\t1\n",
                  "line 3: the digest is not 16 hexadecimal digits"},
        WrongBody{"target t\nmm f32 8x8x8 nn\tc\tv\t0123456789ABCDEF\t1\t1\t1\n",
                  "line 3: the digest is not 16 hexadecimal digits"},
        WrongBody{"target t\nmm f32 8x8x8 nn\tc\tv\t0123456789abcdef\t1,5\t1\t1\n",
                  "line 3: speedup or times are not numbers"},
        WrongBody{"target t\nmm f32 8x8x8 nn\tc\tv\t0123456789abcdef\t1\tnan\t1\n",
                  "line 3: the vendor's time is not a finite number"},
        WrongBody{"target t\nmm f32 8x8x8 nn\tc\tv\t0123456789abcdef\t1\t1\t-1\n",
                  "line 3: the plan's time is not a finite number"},
        WrongBody{"target t\nmm f32 8x8x8 nn\t\tv\t0123456789abcdef\t1\t1\t1\n",
                  "line 3: the config is empty"},
        WrongBody{"target t\nmm f32 8x8x8 nn\tc\t\t0123456789abcdef\t1\t1\t1\n",
                  "line 3: the vendor is empty"},
        WrongBody{std::string("target t\nmm f32 8x8x8 nn\tc\0c", 28) + "\n",
                  "line 3: the line holds a NUL byte"}));

TEST(PlanFileText, RefusesToWriteWhatItCouldNotReadBack) {
  std::vector<StoredPlan> wrong(6, plan_for_size(8));
  wrong[0].config = "";
  wrong[1].config = "a\tb";
  wrong[2].vendor = "a\nb";
  wrong[3].speedup = std::numeric_limits<double>::infinity();
  wrong[4].plan_ns = std::numeric_limits<double>::quiet_NaN();
  wrong[5].problem.m = -1;
  for (const StoredPlan& plan : wrong) {
    EXPECT_THAT(format_plan_file({{{"t", {plan}}}}),
                FailsWith(StatusCode::kInvalidArgument, ::testing::_));
  }
}

TEST(PlanFileText, RefusesToWriteWhatComesTwice) {
  EXPECT_THAT(format_plan_file({{{"t", {plan_for_size(8), plan_for_size(8)}}}}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("'mm f32 8x8x8 nn'")));
  EXPECT_THAT(format_plan_file({{{"t", {}}, {"t", {}}}}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("two sections")));
}

TEST(PlanFileText, RefusesToWriteATargetOfMoreThanALine) {
  EXPECT_THAT(format_plan_file({{{"t\nu", {}}}}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("line end")));
}

TEST(PlanFileText, KeepsPlansAgainstSeveralVendorsApart) {
  StoredPlan other = plan_for_size(8);
  other.vendor = "libmkl_rt.so.2 11aa cblas_sgemm";
  const PlanFile file = {{{"t", {plan_for_size(8), other}}}};
  EXPECT_EQ(parse(format_plan_file(file).take()).take(), file);
}

}  // namespace
}  // namespace triode
