// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/gpu_self_test.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "jit/cuda/triton_space.h"
#include "runtime/device/compiled_kernels.h"
#include "runtime/device/cuda_device.h"
#include "runtime/device/cuda_driver.h"
#include "runtime/device/self_test_capture.h"
#include "runtime/device/self_test_kernels.h"
#include "runtime/device/self_test_machine.h"

namespace triode {
namespace {

constexpr const char* kNoDeviceIsa = "sm_80";  // what is compiled for where there is no GPU
constexpr int32_t kLeastF8Capability = 89;
constexpr int32_t kMany = 16;  // calls between two events

using Clock = std::chrono::steady_clock;

class SelfTest {
 public:
  explicit SelfTest(const SelfTestOptions& options) : options_(options) {}

  bool run() {
    open();
    add_machine_steps();
    if (device_ != nullptr) {
      add_kernel_steps();
      add_stream_steps();
      add_timing_steps();
    }
    for (size_t i = options_.first; i < steps_.size(); ++i) {
      if (!run_step(i)) return false;
    }
    return true;
  }

 private:
  struct Step {
    std::string kind, name;
    std::function<Result<std::string>()> run;
    std::string why_skipped;  // empty: it is run
  };

  void open() {
    if (!options_.compilers.python.empty() && !options_.compilers.worker.empty()) {
      cuda::TritonPoolOptions pool;
      pool.tools = {options_.compilers.python, options_.compilers.worker};
      pool.workers = options_.compilers.workers;
      compilers_.triton = std::make_unique<cuda::TritonPool>(std::move(pool));
    }
    auto nvrtc = cuda::NvrtcCompiler::load(options_.compilers.nvrtc);
    nvrtc_status_ = nvrtc.ok() ? Status() : nvrtc.status();
    if (nvrtc.ok()) compilers_.nvrtc = std::move(nvrtc).take();
    auto driver = CudaDriver::load(options_.driver);
    driver_status_ = driver.ok() ? Status() : driver.status();
    if (!driver.ok()) return;
    driver_ = std::move(driver).take();
    CudaDeviceOptions which;
    which.driver = options_.driver;
    auto device = CudaDevice::create(which);
    device_status_ = device.ok() ? Status() : device.status();
    if (device.ok()) device_ = std::move(device).take();
  }

  void add(std::string kind, std::string name, std::function<Result<std::string>()> run) {
    steps_.push_back({std::move(kind), std::move(name), std::move(run), ""});
  }
  void skip(std::string kind, std::string name, std::string why) {
    steps_.push_back({std::move(kind), std::move(name), {}, std::move(why)});
  }

  void add_machine_steps() {
    add("driver", "", [this]() -> Result<std::string> {
      TRIODE_TRY(Status(driver_status_));
      return driver_->path();
    });
    if (driver_ != nullptr) {
      add("device", "", [this]() -> Result<std::string> {
        TRIODE_TRY(Status(device_status_));
        const std::string all = TRIODE_TRY(describe_devices(*driver_));
        return device_->target().driver + ": " + all;
      });
    }
    if (device_ != nullptr) {
      add("limits", "", [this] { return compare_limits(*driver_); });
      add("memory", "", [this]() -> Result<std::string> {
        TRIODE_TRY(device_->use());
        return describe_memory(*driver_);
      });
    }
    add_compiler_steps();
    const Result<std::string> vendor = find_vendor_libraries();
    if (vendor.ok()) {
      add("cublas", "", [text = vendor.value()]() -> Result<std::string> { return text; });
    } else {
      skip("cublas", "", vendor.status().message());
    }
  }

  void add_compiler_steps() {
    const std::string isa = device_ == nullptr ? kNoDeviceIsa : device_->target().isa;
    if (compilers_.triton != nullptr) {
      add("triton", "", [this, isa]() -> Result<std::string> {
        return isa + ": " + TRIODE_TRY(compilers_.triton->toolchain(isa));
      });
    } else {
      skip("triton", "", "no Python with Triton; TRIODE_PYTHON names one");
    }
    if (!compilers_.nvrtc) return skip("nvrtc", "", nvrtc_status_.message());
    add("nvrtc", "", [this, isa]() -> Result<std::string> {
      TRIODE_TRY(compilers_.nvrtc->compile({"extern \"C\" __global__ void nothing() {}", "nothing"},
                                           isa, cuda::CodeKind::kPtx));
      return isa + ": nvrtc " + compilers_.nvrtc->version();
    });
  }

  // Empty if kernels of that compiler and type can be tried.
  std::string why_not(bool is_triton, DType type) const {
    if (is_triton && compilers_.triton == nullptr) return "no Triton here";
    if (!is_triton && !compilers_.nvrtc) return "no NVRTC here";
    if (type == DType::kF8E4M3 && capability() < kLeastF8Capability) {
      return device_->target().isa + " does not multiply 8-bit floats";
    }
    return "";
  }
  int32_t capability() const { return block_limits_of(device_->target()).capability; }

  void add_kernel_steps() {
    kernels_ = std::make_unique<SelfTestKernels>(*device_, compilers_, options_.configs);
    for (const DType type : options_.types) {
      add_cases(triton_cases(type, block_limits_of(device_->target())));
      add_cases(nvrtc_cases(type));
    }
  }

  void add_cases(std::vector<SelfTestCase> cases) {
    for (SelfTestCase& each : cases) {
      const std::string kind = each.kind, name = to_string(each.problem);
      const std::string why = why_not(each.is_triton, each.problem.a_type);
      if (!why.empty()) {
        skip(kind, name, why);
        continue;
      }
      const size_t number = kernels_->add(std::move(each));
      add(kind, name, [this, number] { return kernels_->check(number); });
    }
  }

  // On a small product by whichever compiler there is.
  void add_stream_steps() {
    if (compilers_.triton == nullptr && !compilers_.nvrtc) {
      skip("capture", "", "nothing compiles here");
      return skip("events", "", "nothing compiles here");
    }
    streams_ = std::make_unique<SelfTestKernels>(*device_, compilers_, 1);
    const size_t number = streams_->add(small_case(!compilers_.nvrtc));
    add("capture", "", [this, number]() -> Result<std::string> {
      const SelfTestKernel kernel = TRIODE_TRY(streams_->prepare(number));
      const auto load = [&] { return loaded_again(number); };
      TRIODE_TRY(
          test_capture(*driver_, *device_, *kernel.artifact, kernel.matrices->operands(), load));
      TRIODE_TRY(kernel.matrices->compare());
      return std::string("a graph holds the kernel; another one was loaded during its capture");
    });
    add("events", "", [this, number] { return try_events(number); });
  }

  Status loaded_again(size_t number) {
    SelfTestKernels again(*device_, compilers_, 1);
    const RelaxedCapture relaxed(*driver_);  // for its operands
    const size_t there = again.add(streams_->at(number));
    auto kernel = again.prepare(there);
    return kernel.ok() ? Status() : kernel.status();
  }

  Result<std::string> try_events(size_t number) {
    const SelfTestKernel kernel = TRIODE_TRY(streams_->prepare(number));
    const auto enqueue = [&] {
      return device_->enqueue(*kernel.artifact, kernel.matrices->operands());
    };
    TRIODE_TRY(device_->sample(enqueue, 1));
    const double one = TRIODE_TRY(device_->sample(enqueue, 1)).per_call.count();
    const double many = TRIODE_TRY(device_->sample(enqueue, kMany)).per_call.count();
    if (one <= 0 || many * kMany <= one) {
      return internal_error("one call took " + std::to_string(one) +
                            " ns by the GPU's clock, and " + std::to_string(kMany) + " took " +
                            std::to_string(many * kMany));
    }
    std::array<char, 96> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(),
                                    "a small call alone %.1f us, each of %d %.1f us", one / 1e3,
                                    int{kMany}, many / 1e3));
    return std::string(text.data());
  }

  // One config, so this says that it runs and about how fast, not how fast it could.
  void add_timing_steps() {
    if (options_.timed_size == 0) return;
    timed_ = std::make_unique<SelfTestKernels>(*device_, compilers_, 1);
    for (const DType type : options_.types) {
      for (SelfTestCase& each : timed_cases(type, options_.timed_size)) {
        const std::string kind = each.kind, name = to_string(each.problem);
        const std::string why = why_not(each.is_triton, type);
        if (!why.empty()) {
          skip(kind, name, why);
          continue;
        }
        const size_t number = timed_->add(std::move(each));
        add(kind, name, [this, number] { return time_product(number); });
      }
    }
  }

  Result<std::string> time_product(size_t number) {
    const SelfTestKernel kernel = TRIODE_TRY(timed_->prepare(number));
    const auto enqueue = [&] {
      return device_->enqueue(*kernel.artifact, kernel.matrices->operands());
    };
    const int32_t repeats = TRIODE_TRY(device_->most_repeats(enqueue));
    const Sample sample = TRIODE_TRY(device_->sample(enqueue, repeats));
    std::array<char, 64> figures{};
    static_cast<void>(std::snprintf(
        figures.data(), figures.size(), "%.1f us, %.1f TFLOP/s", sample.per_call.count() / 1e3,
        timed_->at(number).problem.flops() / sample.per_call.count() / 1e3));
    return std::string(figures.data()) + " (" + kernel.config + ")";
  }

  // False if the GPU cannot be used any more.
  bool run_step(size_t index) {
    const Step& step = steps_[index];
    if (options_.on_begin) {
      options_.on_begin(index, steps_.size(),
                        step.kind + (step.name.empty() ? "" : ": " + step.name));
    }
    SelfTestStep told{step.kind, step.name, SelfTestResult::kSkipped, step.why_skipped, 0};
    if (step.why_skipped.empty()) {
      const Clock::time_point begin = Clock::now();
      const Result<std::string> answer = step.run();
      told.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      told.result = answer.ok() ? SelfTestResult::kPassed : SelfTestResult::kFailed;
      told.text = answer.ok() ? answer.value() : answer.status().message();
    }
    if (options_.on_end) options_.on_end(told);
    return told.result != SelfTestResult::kFailed || device_ == nullptr || device_->wait().ok();
  }

  const SelfTestOptions& options_;
  SelfTestCompilers compilers_;
  std::shared_ptr<const CudaDriver> driver_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<SelfTestKernels> kernels_, streams_, timed_;
  Status nvrtc_status_, driver_status_, device_status_;
  std::vector<Step> steps_;
};

}  // namespace

std::string_view to_string(SelfTestResult result) {
  switch (result) {
    case SelfTestResult::kPassed:
      return "passed";
    case SelfTestResult::kFailed:
      return "failed";
    case SelfTestResult::kSkipped:
      return "skipped";
  }
  return "failed";
}

bool test_gpu(const SelfTestOptions& options) {
  return SelfTest(options).run();
}

}  // namespace triode
