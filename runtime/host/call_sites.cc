// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/call_sites.h"

#include <memory>

#include "runtime/host/original_finder.h"
#include "runtime/host/without_memory.h"

namespace triode::host {
namespace {

// What a site without a thread count points to: its calls are never guessed, and enter() asks.
constinit const volatile int kHasToBeAsked = -1;

std::unique_ptr<CallSite> make_site(Symbol symbol, const void* return_address) {
  void* const original = find_original(symbol, return_address);
  const uint16_t number = original == nullptr ? kNoVendor : vendor_of_function(original);
  const Vendor& holder = vendor(number);
  const volatile int* const count = holder.thread_count;
  return std::unique_ptr<CallSite>(
      new CallSite{.return_address = return_address,
                   .symbol = symbol,
                   .original = original,
                   .vendor = &holder,
                   .traits = call_traits::of_site(symbol, number),
                   .thread_count = count == nullptr ? &kHasToBeAsked : count,
                   .cuts_sizes = holder.has_wide_sizes && !traits_of(symbol).has_wide_sizes});
}

// For one call: nothing can be kept. Where the global scope does not help, nobody but our plain
// loops answers.
const CallSite& site_without_memory(Symbol symbol, const void* return_address) {
  [[gnu::tls_model("initial-exec")]] static constinit thread_local CallSite site{};
  site.return_address = return_address;
  site.symbol = symbol;
  site.original = find_global_original(symbol);
  site.vendor = &vendor(kNoVendor);
  site.traits = call_traits::of_site(symbol, kNoVendor);
  site.thread_count = &kHasToBeAsked;
  return site;
}

bool is_for(const CallSite& site, Symbol symbol, const void* return_address) {
  return site.return_address == return_address && site.symbol == symbol;
}

// What else a site says follows from these.
bool is_same(const CallSite& site, const CallSite& other) {
  return is_for(site, other.symbol, other.return_address) && site.original == other.original &&
         site.traits == other.traits;
}

void push(const CallSite* site, const CallSite*& list) {
  site->next = list;
  list = site;
}

}  // namespace

constinit CallSites the_call_sites;

// Sites are few (one for each call instruction that runs), so none is ever freed: a thread may hold
// one for as long as its call lasts.
const CallSite& CallSites::at(Symbol symbol, const void* return_address) noexcept {
  const size_t start = slot_of(symbol, return_address);
  for (size_t step = 0; step < kProbes; ++step) {
    const CallSite* const site = slots_[(start + step) % kSlots].load(std::memory_order_acquire);
    if (site == nullptr) break;
    if (is_for(*site, symbol, return_address)) return *site;
  }
  {
    const std::lock_guard lock(mutex_);
    if (const CallSite* const known = find_locked(symbol, return_address)) return *known;
  }
  const auto* const added =
      or_without_memory<const CallSite*>([&] { return add(symbol, return_address); }, nullptr);
  return added != nullptr ? *added : site_without_memory(symbol, return_address);
}

const CallSite* CallSites::add(Symbol symbol, const void* return_address) {
  // Not under the lock: the loader takes its own, and a library's constructor may call us under it.
  std::unique_ptr<CallSite> site = make_site(symbol, return_address);
  const std::lock_guard lock(mutex_);
  // Another thread may have been first.
  if (const CallSite* const known = find_locked(symbol, return_address)) return known;
  const CallSite* added = take_forgotten_locked(*site);
  if (added == nullptr) added = site.release();
  insert_locked(added);
  return added;
}

// Its guess may be for another thread budget, and is made anew.
const CallSite* CallSites::take_forgotten_locked(const CallSite& like) {
  for (const CallSite** link = &forgotten_; *link != nullptr; link = &(*link)->next) {
    const CallSite* const site = *link;
    if (!is_same(*site, like)) continue;
    *link = site->next;
    site->guess.store(nullptr, std::memory_order_relaxed);
    return site;
  }
  return nullptr;
}

const CallSite* CallSites::find_locked(Symbol symbol, const void* return_address) const {
  const size_t start = slot_of(symbol, return_address);
  for (size_t step = 0; step < kProbes; ++step) {
    const CallSite* const site = slots_[(start + step) % kSlots].load(std::memory_order_relaxed);
    if (site != nullptr && is_for(*site, symbol, return_address)) return site;
  }
  for (const CallSite* site = crowded_; site != nullptr; site = site->next) {
    if (is_for(*site, symbol, return_address)) return site;
  }
  return nullptr;
}

void CallSites::insert_locked(const CallSite* site) {
  const size_t start = slot_of(site->symbol, site->return_address);
  for (size_t step = 0; step < kProbes; ++step) {
    std::atomic<const CallSite*>& slot = slots_[(start + step) % kSlots];
    if (slot.load(std::memory_order_relaxed) != nullptr) continue;
    slot.store(site, std::memory_order_release);
    return;
  }
  push(site, crowded_);
}

void CallSites::forget_all() noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& slot : slots_) {
    const CallSite* const site = slot.load(std::memory_order_relaxed);
    if (site == nullptr) continue;
    slot.store(nullptr, std::memory_order_release);
    push(site, forgotten_);
  }
  while (crowded_ != nullptr) {
    const CallSite* const site = crowded_;
    crowded_ = site->next;
    push(site, forgotten_);
  }
}

}  // namespace triode::host
