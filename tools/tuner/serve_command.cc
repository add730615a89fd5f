// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/serve_command.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
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
#include "runtime/tuner/event_log.h"
#include "runtime/tuner/heuristic_ranker.h"
#include "runtime/tuner/learned_ranker.h"
#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/metrics.h"
#include "runtime/tuner/pace.h"
#include "runtime/tuner/pacer.h"
#include "runtime/tuner/plan_book.h"
#include "runtime/tuner/relearning.h"
#include "runtime/tuner/server.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/trial_log.h"
#include "runtime/tuner/trial_worker.h"
#include "runtime/tuner/tuner.h"
#include "runtime/tuner/worker_runner.h"
#include "tools/tuner/cpu_machine.h"
#include "tools/tuner/tuner_model.h"
#include "triode_version.h"

namespace triode::tuner {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// How often the queue is looked at while nobody waits.
constexpr milliseconds kIdle(20);
constexpr int kWorkerSocket = 3;
// For what earlier tuners have tried: a program waits meanwhile, and would for seconds more.
constexpr milliseconds kRelearningTime(300);
// A tuner that ends holds its lock for a moment after its socket is gone.
constexpr milliseconds kLockPatience(500);
// Programs go first, and beside half a dozen busy threads a core it still gets a twentieth of one:
// at 10 a machine that is never idle would hardly be answered.
constexpr int kNiceness = 5;

// Heuristics, and a model that learns over them where there is one.
class CpuRanker {
 public:
  CpuRanker(CpuMachine& machine, TrialLog& trials, const std::string& file_or_none,
            EventLog& events) {
    const Status status = begin(machine, trials, file_or_none);
    events.write("model", {{"name", model().name},
                           {"digest", model().digest},
                           {"origin", model().origin},
                           {"relearned", std::to_string(relearned_.trials)},
                           {"remark", status.message()}});
  }
  // Any thread.
  SentModel model() const {
    SentModel model = model_;
    if (learned_) model.learned = learned_->learned();
    return model;
  }
  Ranker& ranker() { return learned_ ? static_cast<Ranker&>(*learned_) : heuristic_; }

 private:
  Status begin(CpuMachine& machine, TrialLog& trials, const std::string& file_or_none) {
    const TunerModel loaded = TRIODE_TRY(load_tuner_model(file_or_none, trials.models()));
    if (loaded.model == nullptr) return {};
    model_ = {loaded.model->snapshot().name, loaded.model->digest(), loaded.origin, 0};
    const Target target = TRIODE_TRY(make_cpu_device(0))->target();
    LearnedRankerOptions options;
    options.device = TRIODE_TRY(traits_of(target));
    options.space_of = [&machine, target](const Problem& problem) {
      return machine.space_of(target, problem);
    };
    const auto space_of = options.space_of;
    learned_ = std::make_unique<LearnedRanker>(loaded.model, heuristic_, std::move(options));
    relearned_ = relearn(target, space_of, trials, *learned_, steady_clock(), kRelearningTime);
    return {};
  }

  HeuristicRanker heuristic_;
  std::unique_ptr<LearnedRanker> learned_;
  Relearned relearned_;
  SentModel model_;
};

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

// Searches until it is stopped, at the machine's pace.
void tune(Tuner& tuner, Pacer& pacer, Stop& stop, const std::string& metrics_file) {
  const std::function<bool()> should_stop = [&] {
    pacer.breathe();
    return stop.was_called();
  };
  while (!stop.was_called()) {
    pacer.begin();
    if (tuner.step(should_stop)) {
      write_metrics(tuner, metrics_file);
    } else {
      stop.sleep(kIdle);
    }
  }
}

// A descriptor that becomes readable when the process is told to end. Before any thread starts.
FileDescriptor watch_for_signals() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return FileDescriptor(signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Where `triode cache` looks for them.
Result<std::unique_ptr<TrialLog>> open_cache(const MeetingPlace& place) {
  Settings settings = TRIODE_TRY(read_settings_from_environment());
  settings.cache = place.cache;
  return open_stored_trials(TRIODE_TRY(cache_path(settings, {})), settings.cache_sync);
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

Status serve_at(const MeetingPlace& place, const TunerOptions& options) {
  const nanoseconds begin = steady_clock().now();
  // Before any thread starts, so that all have it; a system that refuses is done without.
  (void)setpriority(PRIO_PROCESS, 0, std::max(kNiceness, getpriority(PRIO_PROCESS, 0)));
  const FileDescriptor stop_signal = watch_for_signals();
  FileDescriptor listener = TRIODE_TRY(listen_for_hosts(place));
  const std::string log = log_path(place);
  EventLog events(log);
  events.write("start", {{"version", std::string(kVersion)}, {"pid", std::to_string(getpid())}});
  const std::unique_ptr<TrialLog> trials = open_trials(place, events);
  PlanBook book(host::kept_plans_path(place.cache));
  CpuMachine machine;
  CpuRanker ranker(machine, *trials, options.model, events);
  WorkerRunner worker(
      {.program = fs::read_symlink("/proc/self/exe"), .arguments = {"triode-tuner", "worker"}});
  Stop stop;
  MachineLoad load;
  Pacer pacer(steady_clock(), load, {.least_share = options.cpu_share},
              [&](nanoseconds rest) { stop.sleep(rest); });
  Server* server = nullptr;
  Tuner tuner(
      {.ranker = ranker.ranker(),
       .runner = worker,
       .log = *trials,
       .book = book,
       .events = events,
       .clock = pacer,
       .space_of = [&](const Target& target,
                       const Problem& problem) { return machine.space_of(target, problem); },
       .deliver = [&](ClientId client,
                      const Verdict& verdict) { server->deliver(client, verdict); },
       .emit =
           [&](const Target& target, const Problem& problem, std::span<const Config> configs) {
             // Whole cores that nobody uses: a thread more would run beside a program's.
             const auto threads = static_cast<int>(pacer.free_cores());
             return machine.emit(target, problem, configs, threads);
           }},
      {});
  const milliseconds idle(static_cast<int64_t>(1000 * options.idle_seconds));
  Server serving(std::move(listener), tuner, {.idle_limit = idle}, [&] {
    StatusAnswer answer = describe(tuner, worker, place, log, begin);
    answer.model = ranker.model();
    return answer;
  });
  server = &serving;
  write_metrics(tuner, options.metrics);
  std::thread tuning([&] { tune(tuner, pacer, stop, options.metrics); });
  const Status served = serving.run(stop_signal.number());
  // Nobody finds this one any more; who comes now starts the next, which waits for the lock.
  ::unlink(place.socket.c_str());
  stop.call();
  tuning.join();
  events.write("end", {{"plans", std::to_string(tuner.status().plans)}});
  return served;
}

}  // namespace

std::string log_path(const MeetingPlace& place) {
  return place.cache + "/tuner.log";
}

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
  return run_trial_worker(FileDescriptor(kWorkerSocket), options);
}

}  // namespace triode::tuner
