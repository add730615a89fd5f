// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/tuner_service.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "cache/cache_path.h"
#include "core/clock.h"
#include "core/settings.h"
#include "runtime/host/kept_plans.h"
#include "runtime/host/whole_file.h"
#include "runtime/tuner/cpu_time.h"
#include "runtime/tuner/metrics.h"
#include "runtime/tuner/spooled_trials.h"
#include "runtime/tuner/tuner_run.h"
#include "triode_version.h"

namespace triode::tuner {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A tuner that ends holds its lock for a moment after its socket is gone.
constexpr milliseconds kLockPatience(500);

// Where `triode cache` looks for trials.
Result<std::string> store_path(const MeetingPlace& place) {
  Settings settings;
  settings.cache = place.cache;
  return cache_path(settings, {});
}

Result<std::unique_ptr<TrialLog>> open_cache(const std::string& store) {
  const Settings settings = TRIODE_TRY(read_settings_from_environment());
  return open_stored_trials(store, settings.cache_sync);
}

std::unique_ptr<TrialLog> open_trials(const std::string& store, bool shares_process,
                                      EventLog& events) {
  events.write("start", {{"version", std::string(kVersion)}, {"pid", std::to_string(getpid())}});
  if (shares_process) return std::make_unique<SpooledTrials>(store);
  auto opened = open_cache(store);
  if (opened.ok()) return std::move(opened).take();
  events.write("error", {{"message", "trials are not kept: " + opened.status().message()}});
  return no_stored_trials();
}

ProblemSearchOptions search_options(const TunerOptions& options) {
  ProblemSearchOptions search;
  search.rule.margin = options.margin;
  return search;
}

ServerOptions server_options(const TunerOptions& options) {
  return {.idle_limit = milliseconds(static_cast<int64_t>(1000 * options.idle_seconds))};
}

}  // namespace

Result<std::optional<FileLock>> claim_cache(const MeetingPlace& place) {
  std::error_code error;
  fs::create_directories(place.cache, error);
  if (error) return unavailable("cannot make the folder " + place.cache + ": " + error.message());
  auto lock = FileLock::acquire(place.lock, kLockPatience);
  if (lock.ok()) return std::optional(std::move(lock).take());
  if (lock.status().code() == StatusCode::kUnavailable) return std::optional<FileLock>();
  return lock.status();
}

void yield_to_programs() {
  // A system that refuses is done without. On Linux this is the thread's.
  (void)setpriority(PRIO_PROCESS, 0, std::max(kNiceness, getpriority(PRIO_PROCESS, 0)));
}

void TunerService::Stop::call() {
  {
    const std::lock_guard lock(mutex_);
    was_called_ = true;
  }
  called_.notify_all();
}

void TunerService::Stop::sleep(nanoseconds duration) {
  std::unique_lock lock(mutex_);
  called_.wait_for(lock, duration, [this] { return was_called(); });
}

Result<std::unique_ptr<TunerService>> TunerService::open(MeetingPlace place, FileLock lock,
                                                         const Options& options) {
  const std::string store = TRIODE_TRY(store_path(place));
  FileDescriptor listener = TRIODE_TRY(listen_for_hosts(place));
  return std::unique_ptr<TunerService>(
      new TunerService(std::move(place), std::move(lock), options, std::move(listener), store));
}

TunerService::TunerService(MeetingPlace place, FileLock lock, const Options& options,
                           FileDescriptor listener, const std::string& store)
    : begin_(steady_clock().now()),
      place_(std::move(place)),
      lock_(std::move(lock)),
      shares_process_(options.shares_process),
      metrics_file_(options.tuner.metrics),
      events_(event_log_path(place_.cache)),
      trials_(open_trials(store, options.shares_process, events_)),
      store_(store),
      book_(host::kept_plans_path(place_.cache)),
      gpus_(*trials_),
      cpu_ranker_(machine_, *trials_, events_, {.model = options.tuner.model}),
      gpu_rankers_(trials_->models(), events_, options.tuner.model != "none"),
      ranker_(cpu_ranker_.ranker(), gpu_rankers_),
      worker_(worker_options(options.worker_program)),
      pacer_(
          steady_clock(), load_,
          [this] {
            return shares_process_ ? thread_cpu_time_with(worker_.process())
                                   : cpu_time_with(worker_.process());
          },
          {.least_share = options.tuner.cpu_share},
          [this](nanoseconds rest) { stop_.sleep(rest); }),
      tuner_(tuner_parts(), search_options(options.tuner)),
      server_(std::move(listener), tuner_, server_options(options.tuner),
              [this] { return describe(); }) {}

WorkerOptions TunerService::worker_options(const std::string& program) {
  return {.program = program,
          .arguments = {"triode-tuner", "worker"},
          .should_stop = [this] { return stop_.was_called(); },
          .code_of = [this](const TunedCall& call,
                            const std::string& config) { return gpus_.code_of(call, config); }};
}

Tuner::Parts TunerService::tuner_parts() {
  return {
      .ranker = ranker_,
      .runner = worker_,
      .log = *trials_,
      .book = book_,
      .events = events_,
      .clock = pacer_,
      .space_of =
          [this](const Target& target, const Problem& problem) {
            return GpuMachine::runs(target) ? gpus_.space_of(target, problem)
                                            : machine_.space_of(target, problem);
          },
      .deliver = [this](ClientId client,
                        const Verdict& verdict) { server_.deliver(client, verdict); },
      .emit =
          [this](const Target& target, const Problem& problem, std::span<const Config> configs) {
            if (GpuMachine::runs(target)) return gpus_.emit(target, problem, configs);
            // Whole cores that nobody uses: a thread more would run beside a program's.
            const auto threads = shares_process_ ? 1 : static_cast<int>(pacer_.free_cores());
            return machine_.emit(target, problem, configs, threads);
          },
      .complete =
          [this](const Target& target, Verdict& verdict) {
            return GpuMachine::runs(target) ? gpus_.complete(target, verdict) : Status();
          },
      .recorded_as =
          [this](const Target& target, const Problem& problem) {
            return GpuMachine::runs(target) ? gpus_.recorded_as(target, problem)
                                            : Result<Target>(target);
          },
      .adapt =
          [](const Target& target, ProblemSearchOptions& search) {
            if (GpuMachine::runs(target)) GpuMachine::adapt(search);
          }};
}

Status TunerService::serve(int stop_signal) {
  write_metrics();
  std::thread tuning([this] { tune_until_stopped(); });
  const Status served = server_.run(stop_signal);
  // Nobody finds this one any more; who comes now starts the next, which waits for the lock.
  ::unlink(place_.socket.c_str());
  stop_.call();
  tuning.join();
  const char* const remark = store_.has_vanished() ? "the cache was removed" : "";
  events_.write("end", {{"plans", std::to_string(tuner_.status().plans)}, {"remark", remark}});
  return served;
}

void TunerService::end() {
  stop_.call();
  server_.end();
}

// Until it is stopped, or the cache's folder is gone, where nobody would find the trials: the
// programs start another tuner then.
void TunerService::tune() {
  run_tuner(tuner_, {.pacer = pacer_,
                     .should_stop = [this] { return stop_.was_called(); },
                     .sleep = [this](nanoseconds duration) { stop_.sleep(duration); },
                     .after_turn =
                         [this](bool has_searched) {
                           if (has_searched) write_metrics();
                           if (store_.has_vanished()) stop_.call();
                         }});
}

// Without memory, say, nothing more is tuned, and who still wants it starts the next one.
void TunerService::tune_until_stopped() noexcept {
  try {
    tune();
  } catch (const std::exception& error) {
    events_.write("error", {{"message", error.what()}});
  }
  server_.end();
}

// Where Prometheus looks, if anywhere. A folder that is gone is no reason to stop tuning.
void TunerService::write_metrics() const {
  if (!metrics_file_.empty()) {
    (void)replace_file(metrics_file_, to_prometheus(tuner_.metrics().all()));
  }
}

StatusAnswer TunerService::describe() const {
  const TunerStatus now = tuner_.status();
  StatusAnswer answer;
  answer.version = kVersion;
  answer.process = getpid();
  answer.worker_process = worker_.process();
  answer.uptime_s = std::chrono::duration<double>(steady_clock().now() - begin_).count();
  answer.cache = place_.cache;
  answer.log = event_log_path(place_.cache);
  answer.searches = now.searches;
  answer.trials = now.trials;
  answer.failed_trials = now.failed_trials;
  answer.lost_workers = worker_.lost();
  answer.plans_found = now.plans_found;
  answer.vendor_stays = now.vendor_stays;
  answer.withdrawals = now.withdrawals;
  answer.plans = now.plans;
  answer.waiting = now.waiting;
  answer.current = now.current;
  answer.current_trials = now.current_trials;
  answer.trials_per_second = now.trials_per_second;
  answer.problems = now.problems;
  answer.problem_count = now.problem_count;
  for (const StoredPlan& plan : now.latest) answer.latest.push_back(SentPlan::from(plan));
  answer.metrics = tuner_.metrics().all();
  answer.model = cpu_ranker_.model();
  return answer;
}

}  // namespace triode::tuner
