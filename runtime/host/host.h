// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>

#include "core/settings.h"
#include "core/status.h"
#include "runtime/host/call_sites.h"
#include "runtime/host/dispatcher.h"
#include "runtime/host/raw_call.h"
#include "runtime/host/report.h"

namespace triode::host {

// What Triode is in this process. Starts at the first intercepted call, with the settings of the
// environment, or by start_host().

// The dispatcher of intercepted calls; null if they all pass through. A load, once started.
inline Dispatcher* active_dispatcher() noexcept;

// Answers a call whose symbol nobody else defines, with a kernel of ours.
void answer_without_vendor(RawCall& call, const CallSite& site) noexcept;

// Starts with these settings: true; false if it had started already, and nothing changes. An error,
// and nothing started, if the plans of mode frozen cannot be had; without memory std::bad_alloc or
// an error, and nothing started. Of several threads each makes ready what it is to start with, and
// one succeeds: nobody waits for another.
Result<bool> start_host(const Settings& settings);

// Ends the background thread, waiting for it, and writes the report if there is to be one. From
// then on calls pass through. Ends what had not started as well: it never will. Once only.
void stop_host();

// The entry of a call that is yet to come, with its plan if it begins with one; null if there is
// none to be had. Starts the host.
PlanEntry* prepare_call(RawCall call, const CallSite& site) noexcept;

// What has happened so far; empty before the start.
std::optional<Report> report_so_far();

struct KnownCall {
  Report::Row row;
  bool has_plan;  // now
};
// What is known of a call; without all three pointers, of the more frequent alignment. Empty if
// there was no such call.
std::optional<KnownCall> find_call(const RawCall& call, const CallSite& site);

// Implementation of active_dispatcher().
extern constinit std::atomic<Dispatcher*> the_dispatcher;
extern constinit std::atomic<bool> the_host_has_started;
Dispatcher* start_host_from_environment() noexcept;

inline Dispatcher* active_dispatcher() noexcept {
  Dispatcher* const dispatcher = the_dispatcher.load(std::memory_order_acquire);
  if (dispatcher != nullptr || the_host_has_started.load(std::memory_order_acquire)) [[likely]] {
    return dispatcher;
  }
  return start_host_from_environment();
}

}  // namespace triode::host
