// SPDX-License-Identifier: Apache-2.0
// Kernels of every width are emitted and read back by a disassembler, so that those this machine
// cannot run are looked at too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "jit/x86/kernel.h"
#include "tests/jit/disassembly.h"
#include "tests/jit/kernel_specs.h"

namespace triode::x86 {
namespace {

using ::testing::Combine;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::Values;
using ::testing::ValuesIn;

constexpr const char* kZmm = R"(\bzmm[0-9])";
constexpr const char* kOpmask = R"(\{k[1-7]\})";
constexpr const char* kHighRegister = R"(\b[xyz]mm(1[6-9]|2[0-9]|3[01])\b)";
// rbx, rbp, r12 to r15 and their parts: a caller's, and no kernel saves them.
constexpr const char* kCalleeSaved = R"(\b([re]?b[xp]|bpl|bl|bh|r1[2-5][dwb]?)\b)";

std::vector<Instruction> code_of(const KernelSpec& spec) {
  const auto kernel = Kernel::compile(spec);
  EXPECT_TRUE(kernel.ok()) << kernel.status().to_string();
  if (!kernel.ok()) return {};
  std::vector<Instruction> code = disassemble((*kernel)->code());
  EXPECT_THAT(code, Not(IsEmpty())) << "no ret, or objdump (Debian: binutils) is missing";
  return code;
}

// A kernel with every kind of edge: partial row tile, partial vector, left-over steps of k.
KernelSpec ragged(const KernelSpec& spec) {
  return resized(spec, 2 * spec.mr + 1, 2 * spec.nr + 3, 8 * spec.nr + 1);
}

KernelSpec with_scalars(KernelSpec spec) {
  spec.alpha = ScalarClass::kOther;
  spec.beta = ScalarClass::kOther;
  return spec;
}

// Every layout and order of a family, with and without edges and scalars.
std::vector<KernelSpec> variants_of(IsaId isa, Family family, DType dtype) {
  const bool outer = family == Family::kOuter;
  const KernelSpec plain = outer ? outer_spec(isa, dtype) : dot_spec(isa, dtype);
  std::vector<KernelSpec> specs;
  if (outer && describe(isa).has_opmask) {
    const KernelSpec paired = paired_spec(isa, dtype);
    const KernelSpec uneven = resized(paired, 2 * paired.mr + 1, paired.nr - 1, 3 * paired.ku + 1);
    for (const KernelSpec& spec : {paired, uneven}) {
      specs.push_back(spec);
      specs.push_back(with_scalars(spec));
    }
  }
  for (KernelSpec spec : {plain, ragged(plain), with_scalars(plain), with_scalars(ragged(plain))}) {
    specs.push_back(spec);
    spec.b_layout = BLayout::kPanels;
    specs.push_back(spec);
    spec.order = LoopOrder::kRowsOuter;
    specs.push_back(spec);
    if (!outer) continue;
    spec.order = LoopOrder::kColumnsOuter;
    spec.b_layout = BLayout::kStridedAndPacked;
    specs.push_back(spec);
    spec.prefetch_a = PrefetchA::kL1;
    spec.prefetch_b = spec.prefetch_panel = spec.prefetch_c = 1;
    specs.push_back(spec);
  }
  return specs;
}

class EveryKernel : public testing::TestWithParam<std::tuple<IsaId, Family, DType>> {
 protected:
  static IsaId isa() { return std::get<0>(GetParam()); }

  static std::vector<std::vector<Instruction>> kernels() {
    std::vector<std::vector<Instruction>> codes;
    const auto& [isa, family, dtype] = GetParam();
    for (const KernelSpec& spec : variants_of(isa, family, dtype)) codes.push_back(code_of(spec));
    return codes;
  }
};

TEST_P(EveryKernel, EveryInstructionIsOne) {
  for (const auto& code : kernels()) EXPECT_EQ(find_text(code, R"(\(bad\)|\.byte)"), "");
}

TEST_P(EveryKernel, EndsWithClearedUpperHalvesAndReturns) {
  for (const auto& code : kernels()) {
    ASSERT_THAT(code, SizeIs(testing::Gt(2u)));
    EXPECT_EQ(code[code.size() - 2].mnemonic, "vzeroupper");
    EXPECT_EQ(code.back().mnemonic, "ret");
  }
}

TEST_P(EveryKernel, TouchesNoRegisterOfTheCaller) {
  for (const auto& code : kernels()) EXPECT_EQ(find_text(code, kCalleeSaved), "");
}

TEST_P(EveryKernel, LeavesTheStackAlone) {
  for (const auto& code : kernels()) {
    EXPECT_EQ(find_text(code, R"(^(push|pop|call|enter|leave)|\b[re]?spl?\b)"), "");
  }
}

TEST_P(EveryKernel, UsesOnlyWhatTheWidthHas) {
  for (const auto& code : kernels()) {
    if (describe(isa()).vector_bytes < 64) {
      EXPECT_EQ(find_text(code, kZmm), "");
    }
    if (!describe(isa()).has_opmask) {
      EXPECT_EQ(find_text(code, kOpmask), "");
      EXPECT_EQ(find_text(code, kHighRegister), "");
      EXPECT_EQ(find_text(code, R"(\{1to[0-9]+\}|^k)"), "");
    }
  }
}

TEST_P(EveryKernel, MultipliesInFullVectors) {
  const std::string vector = describe(isa()).vector_bytes == 64 ? "zmm" : "ymm";
  for (const auto& code : kernels()) {
    EXPECT_NE(find_text(code, "^vfmadd231p[sd] " + vector), "");
  }
}

std::string kernel_name(const testing::TestParamInfo<std::tuple<IsaId, Family, DType>>& test) {
  const auto& [isa, family, dtype] = test.param;
  std::string name(describe(isa).name);
  std::erase(name, '-');
  return name + (family == Family::kOuter ? "_outer_" : "_dot_") + std::string(to_string(dtype));
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, EveryKernel,
                         Combine(ValuesIn(all_isas().begin(), all_isas().end()),
                                 Values(Family::kOuter, Family::kDot),
                                 Values(DType::kF32, DType::kF64)),
                         kernel_name);

TEST(EmitterDisassembly, ARegisterTileIsOneMultiplyAddPerVectorAndStep) {
  // 4 rows of two vectors, three steps, no loop.
  for (const IsaId isa : all_isas()) {
    const KernelSpec spec = outer_spec(isa);
    KernelSpec one_tile = resized(spec, spec.mr, spec.nr, 3);
    one_tile.ku = 3;
    EXPECT_EQ(count_mnemonic(code_of(one_tile), "vfmadd231ps"), 4 * 2 * 3);
  }
}

TEST(EmitterDisassembly, TypeDecidesTheInstructions) {
  const auto single = code_of(outer_spec(IsaId::kAvx2, DType::kF32));
  const auto twice = code_of(outer_spec(IsaId::kAvx2, DType::kF64));
  EXPECT_EQ(count_mnemonic(single, "vfmadd231pd"), 0);
  EXPECT_GT(count_mnemonic(twice, "vfmadd231pd"), 0);
  EXPECT_EQ(count_mnemonic(twice, "vfmadd231ps"), 0);
}

TEST(EmitterDisassembly, WholeVectorsNeedNoMask) {
  EXPECT_EQ(find_text(code_of(outer_spec(IsaId::kAvx512)), kOpmask), "");
  EXPECT_EQ(count_mnemonic(code_of(outer_spec(IsaId::kAvx2)), "vmaskmov"), 0);
}

TEST(EmitterDisassembly, PartialVectorsAreMaskedByOpmasksOnAvx512) {
  const auto code = code_of(ragged(outer_spec(IsaId::kAvx512)));
  EXPECT_NE(find_text(code, "^kmov"), "");
  EXPECT_NE(find_text(code, R"(^vmovups zmm[0-9]+\{k1\}\{z\},.*\[)"), "")
      << "a load that zeroes the rest";
  EXPECT_NE(find_text(code, R"(^vmovups .*\[.*\].*\{k1\},zmm)"), "")
      << "a store of the lanes in use";
  EXPECT_EQ(count_mnemonic(code, "vmaskmov"), 0);
}

TEST(EmitterDisassembly, PartialVectorsAreMaskedByARegisterOnAvx2) {
  const auto code = code_of(ragged(outer_spec(IsaId::kAvx2)));
  EXPECT_NE(find_text(code, R"(^vmaskmovps ymm[0-9]+,ymm15,)"), "") << "a load";
  EXPECT_NE(find_text(code, R"(^vmaskmovps YMMWORD PTR)"), "") << "a store";
}

TEST(EmitterDisassembly, SplitStoresAreNotMasked) {
  KernelSpec spec = ragged(outer_spec(IsaId::kAvx2));
  spec.edge = EdgeStore::kSplit;
  EXPECT_EQ(find_text(code_of(spec), R"(^vmaskmovps YMMWORD PTR)"), "");
}

TEST(EmitterDisassembly, TallTilesUseTheUpperRegisters) {
  for (const IsaId isa : {IsaId::kAvx512, IsaId::kAvx512Ymm}) {
    KernelSpec spec = outer_spec(isa);
    spec.mr = 12;
    EXPECT_NE(find_text(code_of(resized(spec, 24, 2 * spec.nr, 20)), kHighRegister), "");
  }
}

TEST(EmitterDisassembly, StreamingStoresAreFenced) {
  KernelSpec spec = outer_spec(IsaId::kAvx2);
  EXPECT_EQ(count_mnemonic(code_of(spec), "vmovntps"), 0);
  EXPECT_EQ(count_mnemonic(code_of(spec), "sfence"), 0);
  spec.stores = StoreKind::kStreaming;
  EXPECT_GT(count_mnemonic(code_of(spec), "vmovntps"), 0);
  EXPECT_EQ(count_mnemonic(code_of(spec), "sfence"), 1);
}

// Many tiles above each other, several panels, and a loop over k with more turns than a tile has
// rows.
KernelSpec packing_spec() {
  KernelSpec spec = outer_spec(IsaId::kAvx2);
  spec.m = 20 * spec.mr;
  spec.n = 3 * spec.nr;
  spec.k = 20 * spec.ku;
  spec.a_row_bytes = spec.k * 4;
  spec.b_row_bytes = spec.c_row_bytes = spec.n * 4;
  spec.b_layout = BLayout::kStridedAndPacked;
  return spec;
}

TEST(EmitterDisassembly, PrefetchesOnlyWhenAskedTo) {
  const KernelSpec spec = packing_spec();
  EXPECT_EQ(count_mnemonic(code_of(spec), "prefetch"), 0);
  for (int32_t KernelSpec::*distance :
       {&KernelSpec::prefetch_b, &KernelSpec::prefetch_panel, &KernelSpec::prefetch_c}) {
    KernelSpec fetching = spec;
    fetching.*distance = 1;
    EXPECT_GT(count_mnemonic(code_of(fetching), "prefetch"), 0);
  }
}

TEST(EmitterDisassembly, FetchesRowsOfAIntoTheLevelAskedFor) {
  KernelSpec spec = packing_spec();
  spec.prefetch_a = PrefetchA::kL1;
  EXPECT_GT(count_mnemonic(code_of(spec), "prefetcht0"), 0);
  EXPECT_EQ(count_mnemonic(code_of(spec), "prefetcht1"), 0);
  spec.prefetch_a = PrefetchA::kL2;
  EXPECT_EQ(count_mnemonic(code_of(spec), "prefetcht0"), 0);
  EXPECT_GT(count_mnemonic(code_of(spec), "prefetcht1"), 0);
}

TEST(EmitterDisassembly, FetchesTheNextPanelOnlyIfThereIsOne) {
  KernelSpec spec = packing_spec();
  spec.prefetch_panel = 1;
  spec.n = spec.nr;
  EXPECT_EQ(count_mnemonic(code_of(spec), "prefetch"), 0);
}

TEST(EmitterDisassembly, FetchesCARowPerTurnOfALongLoop) {
  KernelSpec spec = packing_spec();
  spec.prefetch_c = 1;
  EXPECT_NE(find_text(code_of(spec), R"(^prefetcht0.*\[r9)"), "");
  EXPECT_EQ(find_text(code_of(spec), R"(^prefetcht0.*\[rdx)"), "");
  spec.k = spec.ku;  // too short a loop: all rows before it
  EXPECT_EQ(find_text(code_of(spec), R"(^prefetcht0.*\[r9)"), "");
  EXPECT_NE(find_text(code_of(spec), R"(^prefetcht0.*\[rdx)"), "");
}

TEST(EmitterDisassembly, AlphaOneAndBetaZeroCostNothing) {
  const auto code = code_of(outer_spec(IsaId::kAvx2));
  EXPECT_EQ(count_mnemonic(code, "vmulps"), 0);
  EXPECT_EQ(find_text(code, R"(\[r8)"), "") << "the scalars are not read";
  EXPECT_EQ(find_text(code, R"(^v\w+ ymm.*\[rdx)"), "") << "c is not read";
}

}  // namespace
}  // namespace triode::x86
