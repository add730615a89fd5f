// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/call_sites.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace triode::host {
namespace {

// Sites are never freed, so neither is what holds them: a static pointer keeps each reachable.
CallSites& new_sites() {
  static auto* const all = new std::vector<std::unique_ptr<CallSites>>;
  all->push_back(std::make_unique<CallSites>());
  return *all->back();
}

const void* address(uintptr_t number) {
  return reinterpret_cast<const void*>(number);
}

TEST(CallSites, GiveTheSameSiteForTheSameCall) {
  CallSites& sites = new_sites();
  const CallSite& site = sites.at(Symbol::k_cblas_sgemm, address(1000));
  EXPECT_EQ(&sites.at(Symbol::k_cblas_sgemm, address(1000)), &site);
  EXPECT_EQ(sites.find_quickly(Symbol::k_cblas_sgemm, address(1000)), &site);
}

TEST(CallSites, TellSymbolsCalledFromTheSameInstructionApart) {
  CallSites& sites = new_sites();
  const CallSite& site = sites.at(Symbol::k_cblas_sgemm, address(1000));
  const CallSite& other = sites.at(Symbol::k_cblas_dgemm, address(1000));
  EXPECT_NE(&site, &other);
  EXPECT_EQ(site.symbol, Symbol::k_cblas_sgemm);
  EXPECT_EQ(other.symbol, Symbol::k_cblas_dgemm);
}

TEST(CallSites, FindTheOriginalThatIsLinked) {
  CallSites& sites = new_sites();
  const CallSite& site = sites.at(Symbol::k_cblas_sgemm, reinterpret_cast<const void*>(&address));
  ASSERT_NE(site.original, nullptr);
  EXPECT_NE(site.vendor->identity.find("stand_in_blas"), std::string::npos)
      << site.vendor->identity;
}

TEST(CallSites, KeepMoreThanThereAreSlots) {
  CallSites& sites = new_sites();
  std::set<const CallSite*> seen;
  for (uintptr_t i = 1; i <= 2000; ++i) seen.insert(&sites.at(Symbol::k_sgemm_, address(16 * i)));
  EXPECT_EQ(seen.size(), 2000u);
  for (uintptr_t i = 1; i <= 2000; ++i) {
    EXPECT_EQ(sites.at(Symbol::k_sgemm_, address(16 * i)).return_address, address(16 * i));
    EXPECT_TRUE(seen.contains(&sites.at(Symbol::k_sgemm_, address(16 * i))));
  }
}

TEST(CallSites, AreLookedForAnewAfterALibraryWasClosed) {
  CallSites& sites = new_sites();
  sites.at(Symbol::k_cblas_sgemm, address(1000));
  sites.forget_all();
  EXPECT_EQ(sites.find_quickly(Symbol::k_cblas_sgemm, address(1000)), nullptr);
}

TEST(CallSites, TakeNoMemoryForGoodWhereLibrariesComeAndGo) {
  CallSites& sites = new_sites();
  std::set<const CallSite*> seen;
  for (int turn = 0; turn < 3; ++turn) {
    for (uintptr_t i = 1; i <= 2000; ++i) seen.insert(&sites.at(Symbol::k_sgemm_, address(16 * i)));
    sites.forget_all();
  }
  EXPECT_EQ(seen.size(), 2000u);
}

TEST(CallSites, HaveNoGuessWhenTheyComeBack) {
  CallSites& sites = new_sites();
  PlanEntry* const entry = reinterpret_cast<PlanEntry*>(64);
  sites.at(Symbol::k_cblas_sgemm, address(1000)).guess = entry;
  sites.forget_all();
  EXPECT_EQ(sites.at(Symbol::k_cblas_sgemm, address(1000)).guess, nullptr);
}

}  // namespace
}  // namespace triode::host
