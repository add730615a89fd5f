// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/api_answer.h"

#include "runtime/host/dispatcher.h"
#include "runtime/host/host.h"
#include "runtime/host/original_call.h"

namespace triode::host {
namespace {

template <typename... Known>
void answer(RawCall& call, const CallSite& site, Known&... known) {
  Dispatcher* const dispatcher = active_dispatcher();
  if (site.original == nullptr) return answer_without_vendor(call, site);
  if (dispatcher == nullptr) return call_original(site.original, call);
  const VendorTicket ticket = dispatcher->enter(call, site, known...);
  if (ticket.is_answered) return;
  call_original(site.original, call);
  dispatcher->leave(ticket);
}

}  // namespace

void answer_call(RawCall& call, const CallSite& site) {
  answer(call, site);
}

void answer_call(RawCall& call, const CallSite& site, std::atomic<PlanEntry*>& known) {
  answer(call, site, known);
}

}  // namespace triode::host
