// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/ptx_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/core/status_matchers.h"
#include "tests/virtual_gpu/kernel.h"
#include "tests/virtual_gpu/snippet.h"

namespace triode::vgpu {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kKernel = R"(// a comment
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry scale(
  .param .u64 .ptr .global .align 16 out,
  .param .f32 factor,
  .param .align 8 .b8 rest[24]
) .reqntid 64, 2
{
  .reg .b32 %r<3>;
  .reg .pred %p1;
  .loc 1 2 3
  @!%p1 bra $done; /* two
  lines */
  { .reg .b32 inner; mov.b32 inner, 0x10; }
  ld.shared.v2.b32 {%r1, %r2}, [dynamic+8];
$done:
  ret;
})";

TEST(PtxParser, ReadsWhatAKernelDeclares) {
  const auto module = parse_ptx(kKernel);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_EQ(module->target, "sm_80");
  ASSERT_EQ(module->entries.size(), 1u);
  const Entry& entry = module->entries[0];
  EXPECT_EQ(entry.name, "scale");
  EXPECT_THAT(entry.required_threads, ElementsAre(64, 2, 1));
  ASSERT_EQ(entry.parameters.size(), 3u);
  EXPECT_EQ(entry.parameters[1].offset, 8u);
  EXPECT_EQ(entry.parameters[2].offset, 16u);
  EXPECT_EQ(entry.parameter_bytes, 40u);
}

TEST(PtxParser, ReadsStatementsWithTheirLines) {
  const auto module = parse_ptx(kKernel);
  ASSERT_TRUE(module.ok());
  const auto& body = module->entries[0].body;
  ASSERT_EQ(body.size(), 4u);
  EXPECT_EQ(body[0].guard, "%p1");
  EXPECT_TRUE(body[0].guard_negated);
  EXPECT_EQ(body[0].target, 3);
  EXPECT_EQ(body[1].operands[1].bits, 0x10u);
  EXPECT_EQ(body[2].line, 18);
  EXPECT_EQ(body[2].opcode(), "ld.shared.v2.b32");
  EXPECT_EQ(body[2].operands[0].elements.size(), 2u);
  EXPECT_EQ(body[2].operands[1].offset, 8);
}

TEST(PtxParser, KeepsTheRegistersOfInnerScopesApart) {
  const auto run = run_snippet(
      "mov.b64 %rd1, 1; { .reg .b64 %rd1; mov.b64 %rd1, 2; { .reg .b64 x; mov.b64 x, %rd1; } }");
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  EXPECT_EQ(run->out[0], 1u);
}

struct BadText {
  const char* text;
  const char* message;
};

class PtxParserRefuses : public ::testing::TestWithParam<BadText> {};

TEST_P(PtxParserRefuses, WithTheLine) {
  EXPECT_THAT(parse_ptx(GetParam().text),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, PtxParserRefuses,
    ::testing::Values(
        BadText{"\n.gobbledygook", "ptx line 2: unsupported directive \".gobbledygook\""},
        BadText{".address_size 32", "ptx line 1: only 64-bit"},
        BadText{".entry a() {\n bra nowhere;\n}", "ptx line 2: there is no label \"nowhere\""},
        BadText{".entry a() {\n bra;\n}", "ptx line 2: bra takes one label"},
        BadText{".entry a() {\n .reg .b99 %r;\n}", "ptx line 2: unknown register type"},
        BadText{".entry a() {\n .reg .b32 %r<99999999>;\n}", "ptx line 2: too many registers"},
        BadText{".entry a() {\n @%p ret;\n}", "ptx line 2: the guard is not a declared"},
        BadText{".entry a() {\n add.s32 1 2;\n}", "ptx line 2: expected \",\", got \"2\""},
        BadText{".entry a() {\n ld.u32 %r, [%r+x];\n}", "ptx line 2: expected a number"},
        BadText{".entry a() {\n +;\n}", "ptx line 2: expected an instruction"},
        BadText{".entry a(.param .u64 p", "ptx line 1: unexpected end"},
        BadText{".entry a(.param .align 3 .b8 p[4]) {}", "power of two"},
        BadText{".entry a() .reqntid 0 {}", "from 1 to 1024"},
        BadText{".shared .b8 x[4] = {1};", "ptx line 1: expected \";\""},
        BadText{"/* no end", "ptx line 1: a comment has no end"},
        BadText{".section \"x", "ptx line 1: a string has no end"}));

TEST(PtxParser, RefusesEveryTextThatIsCutShort) {
  const std::string text(kKernel);
  const size_t entry = text.find(".entry");
  for (size_t size = entry + 7; size < text.size(); ++size) {
    EXPECT_THAT(parse_ptx(text.substr(0, size)),
                FailsWith(StatusCode::kInvalidArgument, StartsWith("ptx line ")))
        << size;
  }
}

TEST(PtxParser, SurvivesEveryTextWithACharacterLost) {
  const std::string text =
      snippet_ptx("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3];");
  int refused = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged.erase(at, 1);
    const auto module = parse_ptx(damaged);
    if (!module.ok() || !Kernel::prepare(*module, "test").ok()) ++refused;
  }
  EXPECT_GT(refused, 100);
}

TEST(Kernel, RefusesAnInstructionItDoesNotKnowWithItsLine) {
  EXPECT_THAT(run_snippet("\n  wgmma.fence.sync.aligned;"),
              FailsWith(StatusCode::kInvalidArgument,
                        AllOf(StartsWith("ptx line "), HasSubstr("wgmma.fence.sync.aligned"))));
}

TEST(Kernel, RefusesARegisterOfTheWrongWidth) {
  EXPECT_THAT(run_snippet("add.s32 %r1, %rd1, 1;"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("%rd1 has 64 bits")));
}

TEST(Kernel, RefusesASymbolThatIsNotThere) {
  EXPECT_THAT(run_snippet("mov.u64 %rd1, missing;"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("there is no \"missing\"")));
}

TEST(Kernel, RefusesToReadAConstantOfTheModule) {
  const auto module =
      parse_ptx(".global .u32 size = 4;" + snippet_ptx("ld.global.u32 %r1, [size];"));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_THAT(Kernel::prepare(*module, "test"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("there is no \"size\"")));
}

TEST(Kernel, RefusesAnEntryThatIsNotThere) {
  const auto module = parse_ptx(kKernel);
  ASSERT_TRUE(module.ok());
  EXPECT_THAT(Kernel::prepare(*module, "other"),
              FailsWith(StatusCode::kNotFound, HasSubstr("\"other\"")));
}

}  // namespace
}  // namespace triode::vgpu
