// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda_device.h"

#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "runtime/device/cuda_driver.h"
#include "runtime/device/cuda_event_clock.h"
#include "runtime/device/cuda_target.h"
#include "runtime/device/loaded_cuda_program.h"
#include "runtime/device/pair_timer.h"

namespace triode {
namespace {

using std::chrono::nanoseconds;

// One sample is at least so long by the GPU's clock: what the host takes to begin after a wait,
// some microseconds, is little of it.
constexpr std::chrono::microseconds kLeastSample(200);
constexpr std::chrono::milliseconds kLongestSample(20);  // of wall time
// Buffer over which the second level is flushed, in sizes of it: a cache need not replace in order.
constexpr int64_t kFlushes = 2;

// What the host's cores do disturbs no GPU.
class NoInterruptions final : public InterruptionCounter {
 public:
  int64_t preemptions() const override { return 0; }
  nanoseconds waited() const override { return nanoseconds(0); }
  int64_t stolen_ticks() const override { return 0; }
};

// A program in the device's context; unloaded with it.
class CudaArtifact final : public Artifact {
 public:
  CudaArtifact(std::unique_ptr<const LoadedCudaProgram> loaded, uint64_t digest)
      : loaded_(std::move(loaded)), digest_(digest) {}
  ~CudaArtifact() override { loaded_->unload(); }
  uint64_t digest() const override { return digest_; }
  size_t code_bytes() const override {
    size_t bytes = 0;
    for (const CudaLaunch& each : loaded_->program().launches) {
      bytes += each.cubin.empty() ? each.ptx.size() : each.cubin.size();
    }
    return bytes;
  }
  size_t workspace_bytes() const override { return 0; }
  const LoadedCudaProgram& loaded() const { return *loaded_; }

 private:
  std::unique_ptr<const LoadedCudaProgram> loaded_;
  uint64_t digest_;
};

}  // namespace

CudaBuffer::~CudaBuffer() {
  if (address_ == 0) return;
  static_cast<void>(driver_->cuMemFree(address_));
  *used_ -= static_cast<int64_t>(size_bytes_);
}

void CudaBuffer::swap(CudaBuffer& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(used_, other.used_);
  std::swap(address_, other.address_);
  std::swap(size_bytes_, other.size_bytes_);
}

Status CudaBuffer::upload(const void* bytes) const {
  return driver_->check(driver_->cuMemcpyHtoD(address_, bytes, size_bytes_), "copying to the GPU");
}

Status CudaBuffer::download(void* bytes) const {
  return driver_->check(driver_->cuMemcpyDtoH(bytes, address_, size_bytes_),
                        "copying from the GPU");
}

Result<std::unique_ptr<CudaDevice>> CudaDevice::create(const CudaDeviceOptions& options) {
  std::shared_ptr<const CudaDriver> driver = TRIODE_TRY(CudaDriver::load(options.driver));
  const int ordinal =
      options.uuid.empty() ? 0 : TRIODE_TRY(find_cuda_device(*driver, options.uuid));
  const CudaDeviceIdentity identity = TRIODE_TRY(describe_cuda_device(*driver, ordinal));
  std::unique_ptr<CudaDevice> device(new CudaDevice(std::move(driver), ordinal, identity.target));
  TRIODE_TRY(device->open(options.memory_bytes));
  device->compiler_ = options.compiler;
  return device;
}

Status CudaDevice::open(int64_t memory_bytes) {
  CUcontext context = nullptr;
  TRIODE_TRY(driver_->check(driver_->cuDevicePrimaryCtxRetain(&context, ordinal_),
                            "opening the GPU's context"));
  context_ = context;
  TRIODE_TRY(use());
  int least = 0, greatest = 0;
  TRIODE_TRY(driver_->check(driver_->cuCtxGetStreamPriorityRange(&least, &greatest),
                            "asking for priorities"));
  CUstream stream = nullptr;
  TRIODE_TRY(
      driver_->check(driver_->cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, least),
                     "making a stream"));
  stream_ = stream;
  size_t free_bytes = 0, total_bytes = 0;
  TRIODE_TRY(
      driver_->check(driver_->cuMemGetInfo(&free_bytes, &total_bytes), "asking for free memory"));
  memory_bytes_ = memory_bytes > 0 ? memory_bytes : static_cast<int64_t>(free_bytes / 2);
  return {};
}

CudaDevice::~CudaDevice() {
  if (context_ == nullptr) return;
  static_cast<void>(use());
  flush_ = {};
  if (stream_ != nullptr) {
    static_cast<void>(driver_->cuStreamDestroy(static_cast<CUstream>(stream_)));
  }
  static_cast<void>(driver_->cuDevicePrimaryCtxRelease(ordinal_));
}

Status CudaDevice::use() const {
  return driver_->check(driver_->cuCtxSetCurrent(static_cast<CUcontext>(context_)),
                        "entering the GPU's context");
}

Result<Space> CudaDevice::enumerate(const Problem& problem) const {
  if (compiler_ == nullptr) return unsupported("this device was made without a compiler");
  return compiler_->space_of(target_, problem);
}

Result<std::unique_ptr<Artifact>> CudaDevice::build(const Problem& problem, const Config& config) {
  if (compiler_ == nullptr) return unsupported("this device was made without a compiler");
  return load(TRIODE_TRY(compiler_->compile(target_, problem, config)));
}

Result<std::unique_ptr<Artifact>> CudaDevice::load(CudaProgram program) {
  TRIODE_TRY(use());
  const uint64_t digest = digest_of(to_bytes(program));
  auto loaded = TRIODE_TRY(LoadedCudaProgram::load(driver_, std::move(program)));
  return std::unique_ptr<Artifact>(new CudaArtifact(std::move(loaded), digest));
}

Status CudaDevice::enqueue(const Artifact& artifact, const Operands& operands) const {
  // load() makes nothing else.
  const auto& loaded = static_cast<const CudaArtifact&>(artifact).loaded();
  const CudaCall call{.a = operands.a,
                      .b = operands.b,
                      .c = operands.c,
                      .bias = operands.bias,
                      .alpha = operands.alpha,
                      .beta = operands.beta};
  return driver_->check(loaded.launch(call, static_cast<CUstream>(stream_)), "starting a kernel");
}

Status CudaDevice::wait() const {
  return driver_->check(driver_->cuStreamSynchronize(static_cast<CUstream>(stream_)),
                        "running a kernel");
}

Status CudaDevice::run(const Artifact& artifact, const Operands& operands) {
  TRIODE_TRY(use());
  TRIODE_TRY(enqueue(artifact, operands));
  return wait();
}

Result<Sample> CudaDevice::sample(const std::function<Status()>& enqueue, int32_t repeats) const {
  TRIODE_TRY(use());
  const auto clock = TRIODE_TRY(CudaEventClock::create(driver_, static_cast<CUstream>(stream_)));
  const nanoseconds begin = clock->now();
  for (int32_t i = 0; i < repeats; ++i) TRIODE_TRY(enqueue());
  const nanoseconds end = clock->now();
  TRIODE_TRY(clock->status());
  return Sample{(end - begin) / static_cast<double>(repeats), repeats};
}

Result<int32_t> CudaDevice::most_repeats(const std::function<Status()>& enqueue) const {
  TRIODE_TRY(use());
  const nanoseconds begin = steady_clock().now();
  TRIODE_TRY(enqueue());
  TRIODE_TRY(wait());
  const nanoseconds once = std::max(steady_clock().now() - begin, nanoseconds(1));
  return static_cast<int32_t>(std::clamp<int64_t>(kLongestSample / once, 1, 1 << 20));
}

Result<CudaBuffer> CudaDevice::allocate(size_t size_bytes) {
  TRIODE_TRY(use());
  const auto wanted = static_cast<int64_t>(size_bytes);
  if (wanted > memory_bytes_ - *used_bytes_) {
    return resource_exhausted("the GPU's memory is for its programs: " + std::to_string(wanted) +
                              " more bytes would be beyond the " + std::to_string(memory_bytes_) +
                              " that may be used");
  }
  CUdeviceptr address = 0;
  TRIODE_TRY(driver_->check(driver_->cuMemAlloc(&address, std::max<size_t>(size_bytes, 1)),
                            "allocating on the GPU"));
  *used_bytes_ += wanted;
  return CudaBuffer(driver_, used_bytes_, address, size_bytes);
}

Status CudaDevice::flush_second_level() {
  if (target_.l2_bytes == 0) return {};
  if (flush_.size_bytes() == 0) {
    flush_ = TRIODE_TRY(allocate(static_cast<size_t>(kFlushes * target_.l2_bytes)));
  }
  return driver_->check(
      driver_->cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(flush_.data()), 0, flush_.size_bytes(),
                               static_cast<CUstream>(stream_)),
      "flushing the second level");
}

Result<PairMeasurement> CudaDevice::time(const Artifact& artifact, const VendorKernel& vendor,
                                         const Operands& operands, const TimingOptions& options) {
  TRIODE_TRY(use());
  const auto clock = TRIODE_TRY(CudaEventClock::create(driver_, static_cast<CUstream>(stream_)));
  const NoInterruptions none;
  Status failure;
  const auto keep = [&failure](const Status& status) {
    if (failure.ok()) failure = status;
  };
  InterleavedOptions how;
  how.clock = clock.get();
  how.interruptions = &none;
  how.min_sample = kLeastSample;
  const auto enqueue_vendor = [&]() -> Status { return vendor(operands), Status(); };
  how.max_repeats = std::min(TRIODE_TRY(most_repeats([&] { return enqueue(artifact, operands); })),
                             TRIODE_TRY(most_repeats(enqueue_vendor)));
  if (options.cache_state == CacheState::kCold) {
    how.max_repeats = 1;
    how.before_sample = [&](size_t, int) { keep(flush_second_level()); };
  }
  TimingOptions timing = options;
  timing.should_stop = [&] {
    return !failure.ok() || !clock->status().ok() || (options.should_stop && options.should_stop());
  };
  auto pair =
      time_pair([&] { keep(enqueue(artifact, operands)); }, [&] { vendor(operands); }, timing, how);
  TRIODE_TRY(std::move(failure));
  TRIODE_TRY(Status(clock->status()));
  return pair;
}

}  // namespace triode
