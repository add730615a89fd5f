// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/host.h"

#include <pthread.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "runtime/host/background_thread.h"
#include "runtime/host/call_meaning.h"
#include "runtime/host/forced_plans.h"
#include "runtime/host/frozen_plans.h"
#include "runtime/host/gpu_plans.h"
#include "runtime/host/lone_calls.h"
#include "runtime/host/own_tuner.h"
#include "runtime/host/report.h"
#include "runtime/host/touch_ahead.h"
#include "runtime/host/vendor.h"
#include "runtime/host/warning.h"
#include "runtime/host/without_memory.h"

namespace triode::host {

constinit std::atomic<Dispatcher*> the_dispatcher{nullptr};
constinit std::atomic<bool> the_host_has_started{false};

namespace {

// Counts a call without an entry, unless it is yet to come. What the vendor calls in turn is then
// nested, as in any other.
PlanEntry* leave_to_vendor(const RawCall& call, ThreadRecord& thread,
                           std::atomic<uint64_t>& counter) {
  if (call.frame == nullptr) return nullptr;
  add_as_only_writer(counter, 1);
  thread.enter_vendor(call.frame);
  return nullptr;
}

// The parts of Triode in this process, wired together. Never destroyed: calls come until the end.
class Host final : public SlowPath {
 public:
  Host(const Settings& settings, PlanTable& table, std::unique_ptr<OwnTuner> own_tuner)
      : settings_(settings),
        table_(table),
        most_threads_(settings.threads == 0 ? call_traits::kMaxThreads : settings.threads),
        own_tuner_(std::move(own_tuner)),
        dispatcher_(table, *this, {.ignores_alignment = settings.mode == Mode::kFrozen}),
        background_({.table = table,
                     .cpu_maker = cpu_maker_,
                     .gpus = gpus_,
                     .published = published_,
                     .ticks = ticks_,
                     .cache_folder = settings.cache,
                     .tuner = settings.tuner,
                     .own_tuner = own_tuner_.get(),
                     .trusts_model = settings.trust_model}),
        lone_calls_(table, cpu_maker_) {}

  // The plans that entries begin with; an error if they cannot be had.
  Status load_plans() {
    if (settings_.force_plans != ForcedPlans::kOff) {
      initial_ = std::make_unique<ForcedInitialPlans>(cpu_maker_, settings_.force_plans);
    } else if (settings_.mode == Mode::kFrozen) {
      initial_ = TRIODE_TRY(FrozenPlans::load(settings_.plans, cpu_maker_, published_));
    }
    return {};
  }

  void watch_for_worth() {
    dispatcher_.watch_for_worth(settings_.mode == Mode::kTune);
    dispatcher_.watch_gpu_for_worth(settings_.mode == Mode::kTune &&
                                    settings_.tuner == TunerPlace::kProcess);
  }

  PlanEntry* on_miss(const RawCall& call, uint64_t hash, const CallSite& site,
                     ThreadRecord& thread) noexcept override {
    CallMeaning meaning = meaning_of(call.key);
    if (meaning.understanding == Understanding::kInvalid) {
      // Not marked as inside the vendor: its error handler may jump to where later calls lie
      // deeper.
      add_as_only_writer(thread.others.invalid, 1);
      return nullptr;
    }
    if (meaning.understanding == Understanding::kEmpty) {
      return leave_to_vendor(call, thread, thread.others.empty);
    }
    meaning.problem.threads = std::min(meaning.problem.threads, most_threads_);
    PlanEntry* const entry = table_.add(call.key, hash, meaning, site.original);
    if (entry == nullptr) return leave_to_vendor(call, thread, thread.others.unlisted);
    if (entry->index % PlanTable::kEntriesAhead == 0) {
      touch_ahead(&thread.counters[entry->index], PlanTable::kEntriesAhead * sizeof(CallCounter));
    }
    // Plans for a GPU come with their code, from the tuner; mode frozen says that it has none.
    if (entry->gpu_place != 0 && settings_.mode != Mode::kFrozen) return entry;
    const auto* const plan =
        or_without_memory<const Executable*>([&] { return initial_->plan_for(*entry); }, nullptr);
    if (plan != nullptr) {
      const Executable* none = nullptr;
      entry->executable.compare_exchange_strong(none, plan, std::memory_order_acq_rel);
    }
    return entry;
  }

  void on_worth_tuning() noexcept override {
    dispatcher_.watch_for_worth(false);
    background_.start();
  }

  void on_gpu_worth_tuning() noexcept override {
    dispatcher_.watch_gpu_for_worth(false);
    gpus_.start();
    background_.start();
  }

  // What another thread might have held is made anew; what it counted is not ours. Plans of one
  // thread go on to answer, and what was decided about them stands.
  void after_fork_in_child() {
    forget_other_threads(table_.size());
    cpu_maker_.forget();
    background_.forget_thread();
    gpus_.forget_thread();
    most_threads_ = 1;
    table_.drop_threaded();
    the_call_sites.forget_all();  // their guesses may be such entries
    watch_for_worth();
  }

  void end() {
    if (has_ended_.exchange(true)) return;
    the_dispatcher.store(nullptr, std::memory_order_release);
    dispatcher_.watch_for_worth(false);
    dispatcher_.watch_gpu_for_worth(false);
    background_.stop();
    gpus_.stop();
    if (settings_.report && !write_report_in_memory()) warn_once("no memory for the report.");
  }

  Report report() { return make_report(settings_.mode, table_, published_, ticks_); }

  std::optional<KnownCall> find(CallKey key, uint64_t traits) {
    key.traits |= traits;
    const PlanEntry* const entry = table_.find(key, PlanTable::hash_of(key));
    if (entry == nullptr) return std::nullopt;
    return KnownCall{describe_entry(*entry, published_, ticks_.nanoseconds_per_tick()),
                     entry->executable.load(std::memory_order_acquire) != nullptr};
  }

  Dispatcher& dispatcher() { return dispatcher_; }
  std::mutex& published_mutex() { return published_.mutex(); }
  LoneCalls& lone_calls() { return lone_calls_; }

 private:
  bool write_report_in_memory() {
    return or_without_memory(
        [this] { return write_report(settings_, table_, published_, ticks_), true; }, false);
  }

  const Settings settings_;
  const TickClock ticks_;
  PlanTable& table_;
  PublishedPlans published_;
  LazyCpuPlanMaker cpu_maker_;
  GpuPlans gpus_;
  std::unique_ptr<InitialPlans> initial_ = std::make_unique<NoInitialPlans>();
  int32_t most_threads_;                       // of a plan
  const std::unique_ptr<OwnTuner> own_tuner_;  // null where it is elsewhere
  Dispatcher dispatcher_;
  BackgroundThread background_;
  LoneCalls lone_calls_;
  std::atomic<bool> has_ended_{false};
};

constinit std::atomic<Host*> the_host{nullptr};
constinit std::mutex start_mutex;

void lock_before_fork() {
  start_mutex.lock();
  the_call_sites.mutex().lock();
  vendors_mutex().lock();
  if (Host* const host = the_host.load(std::memory_order_acquire)) host->published_mutex().lock();
}

// There is a host if there was one before: it starts under the first of these locks.
void unlock_in_parent() {
  if (Host* const host = the_host.load(std::memory_order_acquire)) host->published_mutex().unlock();
  vendors_mutex().unlock();
  the_call_sites.mutex().unlock();
  start_mutex.unlock();
}

void unlock_in_child() {
  unlock_in_parent();
  if (Host* const host = the_host.load(std::memory_order_acquire)) host->after_fork_in_child();
}

// The table of this process. Null if memory ran out.
PlanTable* the_table() {
  // Under the lock, which a fork waits for: a child would wait for what another thread began here.
  const std::lock_guard lock(start_mutex);
  static PlanTable* const table = PlanTable::create();
  static const int watched = pthread_atfork(lock_before_fork, unlock_in_parent, unlock_in_child);
  static_cast<void>(watched);  // fails only without memory: then a forked child may wait in vain
  return table;
}

// Null where the tuner is not to be in the process.
Result<std::unique_ptr<OwnTuner>> load_own_tuner(const Settings& settings) {
  if (settings.mode != Mode::kTune || settings.tuner != TunerPlace::kInProcess) {
    return std::unique_ptr<OwnTuner>();
  }
  return OwnTuner::load(OwnTuner::candidates());
}

// Not under the lock: a threaded plan, or a tuner in the process, loads a library, and the loader,
// which takes its own, may be held by a thread whose library makes its first call while it is
// loaded.
Result<std::unique_ptr<Host>> make_host(const Settings& settings) {
  PlanTable* const table = the_table();
  if (table == nullptr) return resource_exhausted("no memory for a table of plans");
  auto host = std::make_unique<Host>(settings, *table, TRIODE_TRY(load_own_tuner(settings)));
  if (settings.mode != Mode::kOff) TRIODE_TRY(host->load_plans());
  return host;
}

// False if another thread was first: then that host stays.
bool publish_host(std::unique_ptr<Host> host, Mode mode) {
  const std::lock_guard lock(start_mutex);
  if (the_host_has_started.load(std::memory_order_relaxed)) return false;
  Host* const started = host.release();
  the_host.store(started, std::memory_order_release);
  if (mode != Mode::kOff) {
    started->watch_for_worth();
    the_dispatcher.store(&started->dispatcher(), std::memory_order_release);
  }
  the_host_has_started.store(true, std::memory_order_release);
  return true;
}

Result<bool> start_with_environment() {
  const Settings settings = TRIODE_TRY(read_settings_from_environment());
  TRIODE_TRY(check_settings(settings));
  return start_host(settings);
}

// Calls pass through then, unless it has started already. Without memory there is no host, and they
// do so as well.
void start_switched_off() {
  Settings off;
  off.mode = Mode::kOff;
  const auto start = [&off] { return start_host(off).ok(); };
  if (!or_without_memory(start, false)) {
    the_host_has_started.store(true, std::memory_order_release);
  }
}

// What a call adds to its key that a kernel of ours answers on its own: any alignment, one thread.
uint64_t traits_of_lone_call(const CallSite& site) {
  return site.traits | uint64_t{1} << call_traits::kThreads;
}

uint64_t total_calls(const KnownCall& known) {
  return known.row.tally.by_vendor.calls + known.row.tally.by_us.calls;
}

__attribute__((destructor)) void end_host() {
  if (Host* const host = the_host.load(std::memory_order_acquire)) host->end();
}

}  // namespace

Result<bool> start_host(const Settings& settings) {
  if (the_host_has_started.load(std::memory_order_acquire)) return false;
  return publish_host(TRIODE_TRY(make_host(settings)), settings.mode);
}

// A guest that was not asked says what is wrong with its settings, and does nothing.
Dispatcher* start_host_from_environment() noexcept {
  const auto start = [] {
    const Result<bool> started = start_with_environment();
    if (started.ok()) return true;
    warn_once(started.status().message() + "; calls pass through.");
    start_switched_off();
    return true;
  };
  static_cast<void>(or_without_memory(start, false));  // the next call may find more memory
  return the_dispatcher.load(std::memory_order_acquire);
}

void stop_host() {
  start_switched_off();
  if (Host* const host = the_host.load(std::memory_order_acquire)) host->end();
}

void answer_without_vendor(RawCall& call, const CallSite& site) noexcept {
  const bool counts = active_dispatcher() != nullptr;
  call.key.traits |= traits_of_lone_call(site);
  Host* const host = the_host.load(std::memory_order_acquire);
  if (host != nullptr) return host->lone_calls().answer(call, counts);
  answer_plainly(call);
}

PlanEntry* prepare_call(RawCall call, const CallSite& site) noexcept {
  Dispatcher* const dispatcher = active_dispatcher();
  if (site.original != nullptr) {
    return dispatcher == nullptr ? nullptr : dispatcher->prepare(call, site);
  }
  call.key.traits |= traits_of_lone_call(site);
  Host* const host = the_host.load(std::memory_order_acquire);
  return host == nullptr ? nullptr : host->lone_calls().prepare(call);
}

std::optional<Report> report_so_far() {
  Host* const host = the_host.load(std::memory_order_acquire);
  return host == nullptr ? std::nullopt : std::optional(host->report());
}

std::optional<KnownCall> find_call(const RawCall& call, const CallSite& site) {
  Host* const host = the_host.load(std::memory_order_acquire);
  if (host == nullptr) return std::nullopt;
  if (site.original == nullptr) return host->find(call.key, traits_of_lone_call(site));
  const Dispatcher& dispatcher = host->dispatcher();
  const auto find = [&](bool is_aligned) {
    return host->find(call.key, dispatcher.traits_of_call(site, is_aligned));
  };
  if (call.a != nullptr && call.b != nullptr && call.c != nullptr) {
    return find(dispatcher.is_aligned(call.a, call.b, call.c));
  }
  std::optional<KnownCall> anywhere = find(false), at_lines = find(true);
  if (!anywhere) return at_lines;
  return at_lines && total_calls(*at_lines) > total_calls(*anywhere) ? at_lines : anywhere;
}

}  // namespace triode::host
