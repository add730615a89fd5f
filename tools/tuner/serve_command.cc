// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/serve_command.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "cache/cache_path.h"
#include "core/clock.h"
#include "core/settings.h"
#include "runtime/host/file_lock.h"
#include "runtime/host/kept_plans.h"
#include "runtime/host/whole_file.h"
#include "runtime/tuner/cpu_time.h"
#include "runtime/tuner/event_log.h"
#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/metrics.h"
#include "runtime/tuner/pace.h"
#include "runtime/tuner/pacer.h"
#include "runtime/tuner/plan_book.h"
#include "runtime/tuner/server.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/trial_log.h"
#include "runtime/tuner/trial_worker.h"
#include "runtime/tuner/tuner.h"
#include "runtime/tuner/worker_runner.h"
#include "tools/tuner/cpu_machine.h"
#include "tools/tuner/cpu_ranker.h"
#include "tools/tuner/gpu_machine.h"
#include "tools/tuner/ranker_by_place.h"
#include "tools/tuner/watched_folder.h"
#include "triode_version.h"

namespace triode::tuner {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// How often the queue is looked at while nobody waits.
constexpr milliseconds kIdle(20);
constexpr int kWorkerSocket = 3;
// At a time, for fine-tuning while nobody waits: who comes meanwhile waits that long.
constexpr milliseconds kReflection(60);
// A tuner that ends holds its lock for a moment after its socket is gone.
constexpr milliseconds kLockPatience(500);
// Programs go first, and beside half a dozen busy threads a core it still gets a twentieth of one:
// at 10 a machine that is never idle would hardly be answered.
constexpr int kNiceness = 5;

// Something that is waited for, or slept through until then.
class Stop {
 public:
  bool was_called() const { return was_called_; }
  void call() {
    {
      const std::lock_guard lock(mutex_);
      was_called_ = true;
    }
    called_.notify_all();
  }
  void sleep(nanoseconds duration) {
    std::unique_lock lock(mutex_);
    called_.wait_for(lock, duration, [this] { return was_called(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable called_;
  std::atomic<bool> was_called_{false};
};

// Where Prometheus looks, if anywhere. A folder that is gone is no reason to stop tuning.
void write_metrics(const Tuner& tuner, const std::string& file) {
  if (!file.empty()) (void)replace_file(file, to_prometheus(tuner.metrics().all()));
}

// Searches until it is stopped, at the machine's pace, or until `store` is gone, which takes trials
// that nobody would find: then it ends the tuner, and the programs start another.
void tune(Tuner& tuner, Pacer& pacer, Stop& stop, const WatchedFolder& store,
          const std::string& metrics_file) {
  const std::function<bool()> should_stop = [&] {
    pacer.breathe();
    return stop.was_called();
  };
  while (!stop.was_called() && !store.has_vanished()) {
    pacer.begin();
    if (tuner.step(should_stop)) {
      write_metrics(tuner, metrics_file);
    } else if (tuner.reflect(kReflection)) {
      pacer.breathe();
    } else {
      stop.sleep(kIdle);
    }
  }
  if (!stop.was_called()) ::kill(getpid(), SIGTERM);  // as if somebody else had ended it
}

// A descriptor that becomes readable when the process is told to end. Before any thread starts.
FileDescriptor watch_for_signals() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return FileDescriptor(signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Where `triode cache` looks for trials.
Result<std::string> store_path(const MeetingPlace& place) {
  Settings settings;
  settings.cache = place.cache;
  return cache_path(settings, {});
}

Result<std::unique_ptr<TrialLog>> open_cache(const MeetingPlace& place) {
  const Settings settings = TRIODE_TRY(read_settings_from_environment());
  return open_stored_trials(TRIODE_TRY(store_path(place)), settings.cache_sync);
}

std::unique_ptr<TrialLog> open_trials(const MeetingPlace& place, EventLog& events) {
  auto opened = open_cache(place);
  if (opened.ok()) return std::move(opened).take();
  events.write("error", {{"message", "trials are not kept: " + opened.status().message()}});
  return no_stored_trials();
}

StatusAnswer describe(const Tuner& tuner, const WorkerRunner& worker, const MeetingPlace& place,
                      const std::string& log, nanoseconds begin) {
  const TunerStatus now = tuner.status();
  StatusAnswer answer;
  answer.version = kVersion;
  answer.process = getpid();
  answer.worker_process = worker.process();
  answer.uptime_s = std::chrono::duration<double>(steady_clock().now() - begin).count();
  answer.cache = place.cache;
  answer.log = log;
  answer.searches = now.searches;
  answer.trials = now.trials;
  answer.failed_trials = now.failed_trials;
  answer.lost_workers = worker.lost();
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
  answer.metrics = tuner.metrics().all();
  return answer;
}

ProblemSearchOptions search_options(const TunerOptions& options) {
  ProblemSearchOptions search;
  search.rule.margin = options.margin;
  return search;
}

// Each program takes a descriptor, and the usual soft limit is for programs that use select().
void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);  // what the system refuses is done without
}

// Where the system shares the cores among sessions, niceness counts within one alone, and this is
// the session's. Only where it holds nobody but the tuner: not in a shell's.
void yield_to_other_sessions() {
  const pid_t session = getsid(0);
  const bool is_own = session == getpid() || (::kill(session, 0) != 0 && errno == ESRCH);
  if (is_own) std::ofstream("/proc/self/autogroup") << kNiceness;  // or it is done without
}

Status serve_at(const MeetingPlace& place, const TunerOptions& options) {
  const nanoseconds begin = steady_clock().now();
  allow_many_descriptors();
  // Before any thread starts, so that all have it; a system that refuses is done without.
  (void)setpriority(PRIO_PROCESS, 0, std::max(kNiceness, getpriority(PRIO_PROCESS, 0)));
  yield_to_other_sessions();
  const FileDescriptor stop_signal = watch_for_signals();
  FileDescriptor listener = TRIODE_TRY(listen_for_hosts(place));
  const std::string log = event_log_path(place.cache);
  EventLog events(log);
  events.write("start", {{"version", std::string(kVersion)}, {"pid", std::to_string(getpid())}});
  const std::unique_ptr<TrialLog> trials = open_trials(place, events);
  const WatchedFolder store(TRIODE_TRY(store_path(place)));
  PlanBook book(host::kept_plans_path(place.cache));
  CpuMachine machine;
  GpuMachine gpus(*trials);
  CpuRanker ranker(machine, *trials, events, {.model = options.model});
  GpuRankers gpu_rankers(trials->models(), events, options.model != "none");
  RankerByPlace by_place(ranker.ranker(), gpu_rankers);
  Stop stop;
  WorkerRunner worker(
      {.program = fs::read_symlink("/proc/self/exe"),
       .arguments = {"triode-tuner", "worker"},
       .should_stop = [&] { return stop.was_called(); },
       .code_of = [&](const TunedCall& call,
                      const std::string& config) { return gpus.code_of(call, config); }});
  MachineLoad load;
  Pacer pacer(
      steady_clock(), load, [&] { return cpu_time_with(worker.process()); },
      {.least_share = options.cpu_share}, [&](nanoseconds rest) { stop.sleep(rest); });
  Server* server = nullptr;
  Tuner tuner(
      {.ranker = by_place,
       .runner = worker,
       .log = *trials,
       .book = book,
       .events = events,
       .clock = pacer,
       .space_of =
           [&](const Target& target, const Problem& problem) {
             return GpuMachine::runs(target) ? gpus.space_of(target, problem)
                                             : machine.space_of(target, problem);
           },
       .deliver = [&](ClientId client,
                      const Verdict& verdict) { server->deliver(client, verdict); },
       .emit =
           [&](const Target& target, const Problem& problem, std::span<const Config> configs) {
             if (GpuMachine::runs(target)) return gpus.emit(target, problem, configs);
             // Whole cores that nobody uses: a thread more would run beside a program's.
             const auto threads = static_cast<int>(pacer.free_cores());
             return machine.emit(target, problem, configs, threads);
           },
       .complete =
           [&](const Target& target, Verdict& verdict) {
             return GpuMachine::runs(target) ? gpus.complete(target, verdict) : Status();
           },
       .recorded_as =
           [&](const Target& target, const Problem& problem) {
             return GpuMachine::runs(target) ? gpus.recorded_as(target, problem)
                                             : Result<Target>(target);
           },
       .adapt =
           [](const Target& target, ProblemSearchOptions& search) {
             if (GpuMachine::runs(target)) GpuMachine::adapt(search);
           }},
      search_options(options));
  const milliseconds idle(static_cast<int64_t>(1000 * options.idle_seconds));
  Server serving(std::move(listener), tuner, {.idle_limit = idle}, [&] {
    StatusAnswer answer = describe(tuner, worker, place, log, begin);
    answer.model = ranker.model();
    return answer;
  });
  server = &serving;
  write_metrics(tuner, options.metrics);
  std::thread tuning([&] { tune(tuner, pacer, stop, store, options.metrics); });
  const Status served = serving.run(stop_signal.number());
  // Nobody finds this one any more; who comes now starts the next, which waits for the lock.
  ::unlink(place.socket.c_str());
  stop.call();
  tuning.join();
  const char* const remark = store.has_vanished() ? "the cache was removed" : "";
  events.write("end", {{"plans", std::to_string(tuner.status().plans)}, {"remark", remark}});
  return served;
}

}  // namespace

Status serve(const TunerOptions& options) {
  const MeetingPlace place = TRIODE_TRY(find_meeting_place(options.cache));
  std::error_code error;
  fs::create_directories(place.cache, error);
  if (error) return unavailable("cannot make the folder " + place.cache + ": " + error.message());
  const auto lock = FileLock::acquire(place.lock, kLockPatience);
  if (!lock.ok()) {
    // Another tuner is there, or on its way.
    return lock.status().code() == StatusCode::kUnavailable ? Status() : lock.status();
  }
  return serve_at(place, options);
}

int work() {
  TrialWorkerOptions options;
  options.make_device = make_cpu_device;
  options.begin_on_gpu = gpu_trials(options.seed);
  return run_trial_worker(FileDescriptor(kWorkerSocket), options);
}

}  // namespace triode::tuner
