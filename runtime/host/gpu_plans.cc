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
#include "runtime/host/gpu_places.h"
#include "runtime/host/plan_table.h"
#include "runtime/host/quiet_thread.h"
#include "runtime/host/without_memory.h"

namespace triode::host {
namespace {

using Loaded = Result<std::unique_ptr<const LoadedCudaProgram>>;

// A thread that loads code, one job after another, for a caller that waits.
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

  // Loads the program where the place is. kUnavailable if the thread does not run.
  Loaded load(const GpuPlace& place, CudaProgram program) {
    Loaded answer = unavailable("no thread loads code for the GPU any more");
    std::unique_lock lock(mutex_);
    if (!is_started_ || stops_) return answer;
    bool is_done = false;
    job_ = [&] {
      answer = load_here(place, std::move(program));
      is_done = true;
    };
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_done || stops_; });
    job_ = nullptr;
    return answer;
  }

 private:
  static Loaded load_here(const GpuPlace& place, CudaProgram program) {
    const CudaDriver& driver = *place.driver;
    TRIODE_TRY(driver.check(driver.cuCtxSetCurrent(place.context), "entering a program's context"));
    return LoadedCudaProgram::load(place.driver, std::move(program));
  }

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
    auto loaded = TRIODE_TRY(loader_.load(place_, std::move(program)));
    return std::unique_ptr<const Executable>(
        new CudaExecutable(std::move(loaded), plan.code_digest));
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
