// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/original_call.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "runtime/host/call_meaning.h"
#include "runtime/host/original_finder.h"
#include "tests/reference/error_bound.h"

namespace triode::host {
namespace {

bool is_batch(Dialect dialect) {
  return dialect == Dialect::kCblasGemmBatch || dialect == Dialect::kCblasGemmBatchStrided;
}

bool is_fortran(Dialect dialect) {
  return dialect == Dialect::kFortranGemm || dialect == Dialect::kFortranGemv;
}

CallKey key_for(Symbol symbol, Spelling spelling) {
  const Dialect dialect = traits_of(symbol).dialect;
  const bool gemv = dialect == Dialect::kCblasGemv || dialect == Dialect::kFortranGemv;
  CallKey key{.m = 5, .n = 7, .k = gemv ? 0 : 3, .lda = 9, .ldb = 8, .ldc = 10};
  if (is_batch(dialect)) {
    key.batch = 2;
    key.a_stride = 100;
    key.b_stride = 90;
    key.c_stride = 80;
  }
  key.traits = call_traits::of_spelling(spelling) | call_traits::of_site(symbol, 1) |
               call_traits::of_scalars(0.5, 2.0) | uint64_t{1} << call_traits::kThreads;
  return key;
}

template <typename Scalar>
void expect_right(Symbol symbol, const CallKey& key) {
  const CallMeaning meaning = meaning_of(key);
  ASSERT_EQ(meaning.understanding, Understanding::kProblem);
  std::vector<Scalar> a(400), b(400), c(400);
  Random random(7);
  for (auto* matrix : {&a, &b, &c}) {
    for (Scalar& element : *matrix) element = static_cast<Scalar>(random.uniform() - 0.5);
  }
  const Operands operands{a.data(), b.data(), c.data(), 0.5, 2};
  const ErrorBound bound(meaning.problem, operands);
  bind_original(find_original(symbol, nullptr), key, meaning.operands_exchanged)(operands);
  EXPECT_EQ(bound.find_mismatch(c.data()).value_or(""), "");
}

class EverySymbol : public testing::TestWithParam<int> {};

// The meaning of a key, and the call that a key is turned back into, against a BLAS that reads the
// arguments in its own way.
TEST_P(EverySymbol, IsCalledAsTheProgramSpellsIt) {
  const auto symbol = static_cast<Symbol>(GetParam());
  ASSERT_NE(find_original(symbol, nullptr), nullptr);
  const bool fortran = is_fortran(traits_of(symbol).dialect);
  const int no = fortran ? 'N' : 111, yes = fortran ? 't' : 112;
  for (const int layout : fortran ? std::vector{0} : std::vector{101, 102}) {
    for (const int ta : {no, yes}) {
      for (const int tb : {no, yes}) {
        SCOPED_TRACE(std::to_string(layout) + " " + std::to_string(ta) + " " + std::to_string(tb));
        const CallKey key = key_for(symbol, {layout, ta, tb});
        traits_of(symbol).is_double ? expect_right<double>(symbol, key)
                                    : expect_right<float>(symbol, key);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Blas, EverySymbol, testing::Range(0, kBlasSymbolCount),
                         [](const auto& each) {
                           return std::string(traits_of(static_cast<Symbol>(each.param)).name);
                         });

}  // namespace
}  // namespace triode::host
