// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/gpu_plans.h"

#include <pthread.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "runtime/host/cuda_executable.h"
#include "runtime/host/event_stopwatch.h"
#include "runtime/host/gpu_places.h"
#include "runtime/host/plan_table.h"
#include "runtime/host/quiet_thread.h"
#include "runtime/host/without_memory.h"

namespace triode::host {
namespace {

using Loaded = Result<std::unique_ptr<const LoadedCudaProgram>>;

// A thread that speaks to the driver, one job after another, for a caller that waits.
class Loader {
 public:
  void start() {
    const std::lock_guard lock(mutex_);
    if (is_started_ || stops_) return;
    is_started_ = start_quiet_thread(
        thread_, [](void* self) -> void* { return static_cast<Loader*>(self)->run(), nullptr; },
        this);
  }

  void stop() {
    bool joins = false;
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
      joins = std::exchange(is_started_, false);
    }
    changed_.notify_all();
    if (joins) pthread_join(thread_, nullptr);
  }

  // Does the work in the place's context; false if that cannot be entered, or if the thread does
  // not run.
  bool run_in(const GpuPlace& place, const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    if (!is_started_ || stops_) return false;
    bool is_over = false, is_done = false;
    job_ = [&] {
      is_over = true;
      if (place.driver->cuCtxSetCurrent(place.context) != CUDA_SUCCESS) return;
      work();
      is_done = true;
    };
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_over || stops_; });
    job_ = nullptr;
    return is_done;
  }

 private:
  // The job runs under the lock: who waits for it holds what it writes to. Nobody else wants it.
  void run() {
    std::unique_lock lock(mutex_);
    while (!stops_) {
      if (job_) {
        const auto do_it = [this] { return job_(), true; };
        static_cast<void>(or_without_memory(do_it, false));
        job_ = nullptr;
        changed_.notify_all();
      }
      changed_.wait(lock, [this] { return stops_ || job_; });
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // empty: none
  pthread_t thread_{};
  bool is_started_ = false;
  bool stops_ = false;
};

// Plans for one place, whose code comes from the tuner.
class GpuPlanMaker final : public PlanMaker {
 public:
  GpuPlanMaker(const GpuPlace& place, Loader& loader) : place_(place), loader_(loader) {}

  const Target& target() const override { return place_.device.target; }
  bool serves(const PlanEntry& entry) const override { return entry.gpu_place == place_.number; }
  std::string gpu_driver() const override { return place_.driver->path(); }
  std::string gpu_device() const override { return place_.device.uuid; }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem,
                                                 const MadePlan& plan) const override {
    if (plan.code.empty()) return unavailable("the tuner sends the code of GPU plans when asked");
    if (digest_of(plan.code) != plan.code_digest) {
      return corrupt("the code for '" + to_string(problem) + "' is not what was checked");
    }
    CudaProgram program = TRIODE_TRY(parse_cuda_program(plan.code));
    Loaded loaded = unavailable("no thread loads code for the GPU any more");
    loader_.run_in(place_,
                   [&] { loaded = LoadedCudaProgram::load(place_.driver, std::move(program)); });
    return std::unique_ptr<const Executable>(
        new CudaExecutable(TRIODE_TRY(std::move(loaded)), plan.code_digest));
  }

  std::unique_ptr<GpuStopwatch> make_stopwatch() const override {
    auto made = EventStopwatch::create(place_.driver, [this](const std::function<void()>& work) {
      return loader_.run_in(place_, work);
    });
    // Where there are no events the plan answers unwatched.
    return made.ok() ? std::move(made).take() : nullptr;
  }

 private:
  const GpuPlace& place_;
  Loader& loader_;
};

}  // namespace

struct GpuPlans::Parts {
  Loader loader;
  std::vector<std::unique_ptr<const GpuPlanMaker>> makers;
};

GpuPlans::GpuPlans() : parts_(std::make_unique<Parts>()) {}
GpuPlans::~GpuPlans() = default;

void GpuPlans::start() noexcept {
  parts_->loader.start();
}

void GpuPlans::stop() noexcept {
  parts_->loader.stop();
}

void GpuPlans::forget_thread() noexcept {
  // Its lock may be held by the thread that is not here; a child makes no use of a GPU.
  new (&parts_->loader) Loader;
}

const PlanMaker* GpuPlans::maker(size_t index) {
  while (parts_->makers.size() <= index) {
    const GpuPlace* const place = gpu_place(static_cast<int>(parts_->makers.size()) + 1);
    if (place == nullptr) return nullptr;
    parts_->makers.push_back(std::make_unique<GpuPlanMaker>(*place, parts_->loader));
  }
  return parts_->makers[index].get();
}

}  // namespace triode::host
