// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/device.h"
#include "core/status.h"
#include "core/target.h"
#include "runtime/device/cuda_compiler.h"
#include "runtime/device/cuda_program.h"

namespace triode {

class CudaDriver;

// Memory of a GPU, freed with this object. Contents are undefined at first.
class CudaBuffer {
 public:
  CudaBuffer() = default;
  // `used` counts the bytes of all buffers of a device; this one's are in it.
  CudaBuffer(std::shared_ptr<const CudaDriver> driver, std::shared_ptr<int64_t> used,
             uint64_t address, size_t size_bytes)
      : driver_(std::move(driver)),
        used_(std::move(used)),
        address_(address),
        size_bytes_(size_bytes) {}
  CudaBuffer(CudaBuffer&& other) noexcept { swap(other); }
  CudaBuffer& operator=(CudaBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~CudaBuffer();

  void* data() const { return reinterpret_cast<void*>(address_); }  // the device's address
  size_t size_bytes() const { return size_bytes_; }
  // All of it, in order with nothing: whoever used it before must have been waited for.
  Status upload(const void* bytes) const;
  Status download(void* bytes) const;

 private:
  void swap(CudaBuffer& other) noexcept;

  std::shared_ptr<const CudaDriver> driver_;
  std::shared_ptr<int64_t> used_;
  uint64_t address_ = 0;
  size_t size_bytes_ = 0;
};

struct CudaDeviceOptions {
  std::string driver;  // libcuda's file; empty: where the system finds it
  std::string uuid;    // which GPU; empty: the first
  // Most bytes of the GPU's memory; 0: half of what is free when the device is made, so that
  // programs on it keep the rest.
  int64_t memory_bytes = 0;
  std::shared_ptr<CudaCompiler> compiler;  // for enumerate() and build(); null: they are refused
};

// An NVIDIA GPU. Uses its primary context, which programs that use the runtime library share, and a
// stream of its own with the least priority there is. Operands are addresses of the GPU. A vendor's
// kernel that is timed must enqueue on stream().
//
// Every call makes the context that of the calling thread. After a kernel that made the GPU fault
// all calls answer kUnavailable, in every device of the process.
class CudaDevice final : public Device {
 public:
  // As CudaDriver::load, and kNotFound for a uuid that is not there.
  static Result<std::unique_ptr<CudaDevice>> create(const CudaDeviceOptions& options);
  ~CudaDevice() override;

  const Target& target() const override { return target_; }
  Result<Space> enumerate(const Problem& problem) const override;
  Result<std::unique_ptr<Artifact>> build(const Problem& problem, const Config& config) override;
  Status run(const Artifact& artifact, const Operands& operands) override;
  Result<PairMeasurement> time(const Artifact& artifact, const VendorKernel& vendor,
                               const Operands& operands, const TimingOptions& options) override;

  // A program that was compiled elsewhere.
  Result<std::unique_ptr<Artifact>> load(CudaProgram program);
  // Enqueues one call without waiting for it.
  Status enqueue(const Artifact& artifact, const Operands& operands) const;
  // Waits for all that was enqueued on stream(), and tells how it ended.
  Status wait() const;
  // Time of one call of what `enqueue` enqueues on stream(), over so many, by the GPU's clock.
  Result<Sample> sample(const std::function<Status()>& enqueue, int32_t repeats) const;
  // How many calls a sample may have so that it takes some milliseconds of wall time at most: a
  // clock of the GPU says nothing of one that is emulated, or busy with others. Makes one call.
  Result<int32_t> most_repeats(const std::function<Status()>& enqueue) const;
  // kResourceExhausted beyond the memory that it may use.
  Result<CudaBuffer> allocate(size_t size_bytes);

  void* stream() const { return stream_; }  // a CUstream
  // Makes its context that of the calling thread, for who calls a vendor's library there.
  Status use() const;

 private:
  CudaDevice(std::shared_ptr<const CudaDriver> driver, int ordinal, Target target)
      : driver_(std::move(driver)), ordinal_(ordinal), target_(std::move(target)) {}
  Status open(int64_t memory_bytes);
  Status flush_second_level();

  const std::shared_ptr<const CudaDriver> driver_;
  const int ordinal_;
  const Target target_;
  std::shared_ptr<CudaCompiler> compiler_;
  void* context_ = nullptr;
  void* stream_ = nullptr;
  int64_t memory_bytes_ = 0;  // that may be used
  const std::shared_ptr<int64_t> used_bytes_ = std::make_shared<int64_t>(0);
  CudaBuffer flush_;  // larger than the second level, made when first needed
};

}  // namespace triode
