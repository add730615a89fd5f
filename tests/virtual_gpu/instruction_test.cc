// SPDX-License-Identifier: Apache-2.0
// What single instructions compute, by lines of PTX that leave their result in %rd1.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

#include "tests/virtual_gpu/snippet.h"

namespace triode::vgpu {
namespace {

struct Case {
  const char* lines;
  uint64_t want;  // in thread 3
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.lines;
}

class Instruction : public ::testing::TestWithParam<Case> {};

TEST_P(Instruction, GivesTheRightResult) {
  const auto run = run_snippet(GetParam().lines);
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  ASSERT_FALSE(run->fault) << run->fault->message;
  EXPECT_EQ(run->out[3], GetParam().want);
}

constexpr uint64_t f32(float value) {
  return std::bit_cast<uint32_t>(value);
}
constexpr uint64_t f64(double value) {
  return std::bit_cast<uint64_t>(value);
}

// Stores a 32-bit register, a float or a predicate.
#define R1 " cvt.u64.u32 %rd1, %r1;"
#define F1 " mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;"
#define P1 " selp.b64 %rd1, 1, 0, %p1;"

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, Instruction,
    ::testing::Values(
        Case{"add.s32 %r1, 0x7fffffff, 1;" R1, 0x80000000u},
        Case{"sub.u32 %r1, 1, 2;" R1, 0xffffffffu}, Case{"mul.lo.s32 %r1, -3, 5;" R1, 0xfffffff1u},
        Case{"mul.hi.u32 %r1, 0xffffffff, 0xffffffff;" R1, 0xfffffffeu},
        Case{"mul.wide.s32 %rd1, -3, 5;", ~uint64_t{14}},
        Case{"mad.lo.u32 %r1, %r0, 10, 4;" R1, 34},
        Case{"mad.wide.u32 %rd1, 0xffffffff, 2, 5;", 0x200000003u},
        Case{"div.s32 %r1, -7, 2;" R1, 0xfffffffdu}, Case{"div.u32 %r1, 7, 0;" R1, 0xffffffffu},
        Case{"rem.u32 %r1, 17, 5;" R1, 2}, Case{"min.s32 %r1, -1, 1;" R1, 0xffffffffu},
        Case{"max.u32 %r1, -1, 1;" R1, 0xffffffffu}, Case{"neg.s32 %r1, 5;" R1, 0xfffffffbu},
        Case{"abs.s32 %r1, -5;" R1, 5}, Case{"add.f32 %f1, 0f3F800000, 0f40000000;" F1, f32(3)},
        Case{"fma.rn.f32 %f1, 0f40400000, 0f40400000, 0f3F800000;" F1, f32(10)},
        Case{"min.f32 %f1, 0f7FC00000, 0f3F800000;" F1, f32(1)},
        Case{"fma.rn.f64 %d1, 0d4008000000000000, 0d4008000000000000, 0d3FF0000000000000;"
             " mov.b64 %rd1, %d1;",
             f64(10)},
        Case{"ex2.approx.f32 %f1, 0f40400000;" F1, f32(8)}));

INSTANTIATE_TEST_SUITE_P(
    Bits, Instruction,
    ::testing::Values(
        Case{"and.b32 %r1, 12, 10;" R1, 8}, Case{"or.b32 %r1, 12, 10;" R1, 14},
        Case{"xor.b32 %r1, 12, 10;" R1, 6}, Case{"not.b32 %r1, 0;" R1, 0xffffffffu},
        Case{"shl.b32 %r1, 1, 31;" R1, 0x80000000u}, Case{"shl.b32 %r1, 1, 32;" R1, 0},
        Case{"shr.s32 %r1, -8, 1;" R1, 0xfffffffcu}, Case{"shr.s32 %r1, -8, 40;" R1, 0xffffffffu},
        Case{"shr.u32 %r1, -8, 1;" R1, 0x7ffffffcu}, Case{"bfe.u32 %r1, 0x1234, 4, 8;" R1, 0x23},
        Case{"bfe.s32 %r1, 0xf0, 4, 4;" R1, 0xffffffffu},
        Case{"bfi.b32 %r1, 0xff, 0x1234, 4, 8;" R1, 0x1ff4},
        Case{"prmt.b32 %r1, 0x33221100, 0x77665544, 0x7531;" R1, 0x77553311},
        Case{"lop3.b32 %r1, 12, 10, 6, 0x96;" R1, 12 ^ 10 ^ 6},
        Case{"shf.l.wrap.b32 %r1, 0x80000000, 1, 1;" R1, 3}, Case{"popc.b32 %r1, 0xff;" R1, 8},
        Case{"clz.b32 %r1, 1;" R1, 31}, Case{"brev.b32 %r1, 1;" R1, 0x80000000u}));

INSTANTIATE_TEST_SUITE_P(
    PredicatesAndMoves, Instruction,
    ::testing::Values(Case{"setp.lt.s32 %p1, -1, 1;" P1, 1}, Case{"setp.lt.u32 %p1, -1, 1;" P1, 0},
                      Case{"setp.ne.f32 %p1, 0f7FC00000, 0f3F800000;" P1, 0},
                      Case{"setp.neu.f32 %p1, 0f7FC00000, 0f3F800000;" P1, 1},
                      Case{"setp.eq.s32 %p1|%p2, %r0, 3; selp.b64 %rd1, 1, 0, %p2;", 0},
                      Case{"setp.eq.s32 %p2, 1, 2; setp.eq.and.s32 %p1, 1, 1, !%p2;" P1, 1},
                      Case{"setp.eq.s32 %p1, %r0, 3; @%p1 mov.b64 %rd1, 7;", 7},
                      Case{"setp.eq.s32 %p1, %r0, 3; @!%p1 mov.b64 %rd1, 7;", 0},
                      Case{"mov.b32 %r1, {1, 2};" R1, 0x20001},
                      Case{"mov.b64 {%r1, %r2}, 0x500000004; cvt.u64.u32 %rd1, %r2;", 5},
                      Case{"mov.b32 {_, %h1}, 0x50004; cvt.u64.u16 %rd1, %h1;", 5},
                      Case{"mov.u32 %r1, %ntid.x;" R1, 32},
                      Case{"mov.u32 %r1, %lanemask_lt;" R1, 7}));

INSTANTIATE_TEST_SUITE_P(
    Conversions, Instruction,
    ::testing::Values(Case{"cvt.s64.s32 %rd1, -1;", ~uint64_t{0}},
                      Case{"cvt.u64.u32 %rd1, -1;", 0xffffffffu},
                      Case{"cvt.rn.f32.s32 %f1, -2;" F1, f32(-2)},
                      Case{"cvt.rzi.s32.f32 %r1, 0fC0200000;" R1, 0xfffffffeu},
                      Case{"cvt.rn.f16.f32 %h1, 0f3F800000; cvt.u64.u16 %rd1, %h1;", 0x3c00},
                      // Half way between two: to even, and not twice.
                      Case{"cvt.rn.f16.f32 %h1, 0f3F801000; cvt.u64.u16 %rd1, %h1;", 0x3c00},
                      Case{"cvt.rn.f16.f32 %h1, 0f3F803000; cvt.u64.u16 %rd1, %h1;", 0x3c02},
                      Case{"cvt.rn.f16.f32 %h1, 0f477FF000; cvt.u64.u16 %rd1, %h1;", 0x7c00},
                      Case{"cvt.rn.bf16.f32 %h1, 0f3F818000; cvt.u64.u16 %rd1, %h1;", 0x3f82},
                      Case{"mov.b16 %h1, 0x0001; cvt.f32.f16 %f1, %h1;" F1, f32(0x1p-24f)},
                      Case{"cvt.rn.f16x2.f32 %r1, 0f40000000, 0f3F800000;" R1, 0x40003c00},
                      Case{"cvt.rna.tf32.f32 %r1, 0f3F801000;" R1, 0x3f802000}));

INSTANTIATE_TEST_SUITE_P(
    WarpWide, Instruction,
    ::testing::Values(Case{"shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;" R1, 2},
                      Case{"shfl.sync.down.b32 %r1|%p1, %r0, 4, 31, -1;" R1, 7},
                      Case{"shfl.sync.up.b32 %r1|%p1, %r0, 5, 0, -1;" P1, 0},
                      Case{"shfl.sync.idx.b32 %r1, %r0, 30, 31, -1;" R1, 30},
                      Case{"setp.lt.u32 %p1, %r0, 4; vote.sync.ballot.b32 %r1, %p1, -1;" R1, 15},
                      Case{"setp.lt.u32 %p1, %r0, 4; vote.sync.all.pred %p1, %p1, -1;" P1, 0},
                      Case{"activemask.b32 %r1;" R1, 0xffffffffu}));

INSTANTIATE_TEST_SUITE_P(
    Memory, Instruction,
    ::testing::Values(
        Case{"mov.u32 %r2, shared; st.shared.u16 [%r2+2], 0xabcd; ld.shared.s16 %r1, [%r2+2];" R1,
             0xffffabcd},
        Case{"mov.u64 %rd3, shared; cvta.shared.u64 %rd3, %rd3; st.u32 [%rd3], 9;"
             " ld.shared.u32 %r1, [shared];" R1,
             9},
        Case{"mov.u32 %r2, shared; st.shared.v2.u32 [%r2], {1, 2}; ld.shared.u64 %rd1, [%r2];",
             0x200000001},
        Case{"st.shared.u32 [shared], 0; atom.shared.add.u32 %r2, [shared], 2;"
             " ld.shared.u32 %r1, [shared];" R1,
             64},
        Case{"st.shared.u32 [shared], 5; atom.shared.cas.b32 %r1, [shared], 5, 8;" R1, 8},
        // What was never written is a NaN.
        Case{"ld.shared.u32 %r1, [shared+512];" R1, 0xffffffffu}));

// Each matrix element (i, j) is 8 i + j, so that where one went can be told.
constexpr const char* kFillMatrix =
    "mov.u32 %r2, shared; mad.lo.u32 %r3, %r0, 4, %r2; mul.lo.u32 %r4, %r0, 2;"
    " mad.lo.u32 %r5, %r4, 0x10000, %r4; add.u32 %r5, %r5, 0x10000; st.shared.u32 [%r3], %r5;"
    " and.b32 %r6, %r0, 7; mad.lo.u32 %r6, %r6, 16, %r2;";

TEST(Ldmatrix, GivesEachLaneTwoElementsOfARow) {
  const auto run = run_snippet(std::string(kFillMatrix) +
                               "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r6];" R1);
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  ASSERT_FALSE(run->fault) << run->fault->message;
  EXPECT_EQ(run->out[0], 0x00010000u);
  EXPECT_EQ(run->out[7], 0x000f000eu);  // row 1, columns 6 and 7
}

TEST(Ldmatrix, GivesEachLaneTwoElementsOfAColumnWhenTransposed) {
  const auto run = run_snippet(std::string(kFillMatrix) +
                               "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1}, [%r6];" R1);
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  EXPECT_EQ(run->out[0], 0x00080000u);  // column 0, rows 0 and 1
  EXPECT_EQ(run->out[7], 0x00390031u);  // column 1, rows 6 and 7
}

// a is all ones, b is ones in the columns of lanes 0 to 3 (column 0), c is the lane.
TEST(Mma, MultipliesAndAdds) {
  const auto run = run_snippet(
      "mov.b32 %r2, 0x3c003c00; setp.lt.u32 %p1, %r0, 4; selp.b32 %r3, %r2, 0, %p1;"
      "cvt.rn.f32.u32 %f2, %r0;"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f3, %f4, %f5},"
      " {%r2, %r2, %r2, %r2}, {%r3, %r3}, {%f2, %f2, %f2, %f2};" F1);
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  ASSERT_FALSE(run->fault) << run->fault->message;
  EXPECT_EQ(run->out[0], f32(16));  // row 0, column 0
  EXPECT_EQ(run->out[1], f32(1));   // row 0, column 2
  EXPECT_EQ(run->out[4], f32(20));  // row 1, column 0
}

TEST(Mma, RefusesFragmentsOfTheWrongSize) {
  EXPECT_FALSE(run_snippet("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f3, %f4, %f5},"
                           " {%r2, %r2}, {%r3, %r3}, {%f2, %f2, %f2, %f2};")
                   .ok());
}

}  // namespace
}  // namespace triode::vgpu
