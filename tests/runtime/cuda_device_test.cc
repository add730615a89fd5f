// SPDX-License-Identifier: Apache-2.0
// The cuda device on the virtual GPU: what NVRTC compiles is executed there, and its times are
// counts of instructions.
#include "runtime/device/cuda_device.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <thread>
#include <vector>

#include "runtime/device/cuda_driver.h"
#include "runtime/device/cuda_target.h"
#include "runtime/device/loaded_cuda_program.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

// One that programs call and the device does not.
void* driver_function(const char* name) {
  return dlsym(dlopen(TRIODE_VIRTUAL_DRIVER, RTLD_NOW), name);
}

std::shared_ptr<CudaCompiler> nvrtc() {
  static const auto compiler = std::move(CudaCompiler::create({})).take();
  return compiler;
}

class OnVirtualGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TRIODE_VGPU_DEVICES", "2", 1);
    unsetenv("TRIODE_VGPU_FAULTS");
    auto made = CudaDevice::create(options());
    ASSERT_TRUE(made.ok()) << made.status().message();
    device_ = std::move(made).take();
  }
  void TearDown() override { unsetenv("TRIODE_VGPU_FAULTS"); }

  static CudaDeviceOptions options() {
    CudaDeviceOptions options;
    options.driver = TRIODE_VIRTUAL_DRIVER;
    options.compiler = nvrtc();
    return options;
  }

  std::unique_ptr<Artifact> build(const Problem& problem) {
    const auto space = device_->enumerate(problem);
    EXPECT_TRUE(space.ok()) << space.status().message();
    auto built = device_->build(problem, space->enumerate(1).front());
    EXPECT_TRUE(built.ok()) << built.status().message();
    return std::move(built).take();
  }

  // Three matrices of n x n ones in the GPU's memory.
  struct Ones {
    CudaBuffer a, b, c;
    Operands operands;
  };
  Ones ones(int n) {
    const std::vector<float> host(static_cast<size_t>(n) * static_cast<size_t>(n), 1);
    Ones made;
    for (CudaBuffer* const each : {&made.a, &made.b, &made.c}) {
      *each = std::move(device_->allocate(host.size() * sizeof(float))).take();
      EXPECT_TRUE(each->upload(host.data()).ok());
    }
    made.operands.a = made.a.data();
    made.operands.b = made.b.data();
    made.operands.c = made.c.data();
    return made;
  }

  std::unique_ptr<CudaDevice> device_;
};

TEST(CudaDriver, SaysThatThereIsNone) {
  const auto driver = CudaDriver::load("/nowhere/libcuda.so.1");
  ASSERT_EQ(driver.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(driver.status().message(), HasSubstr("no GPU"));
}

TEST(CudaDriver, SaysThatItFindsNoGpu) {
  setenv("TRIODE_VGPU_DEVICES", "0", 1);
  const auto driver = CudaDriver::load(TRIODE_VIRTUAL_DRIVER);
  ASSERT_EQ(driver.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(driver.status().message(), HasSubstr("no GPU"));
}

TEST_F(OnVirtualGpu, SaysWhatItIs) {
  const Target& target = device_->target();
  EXPECT_THAT(target.device, HasSubstr("test instrument"));
  EXPECT_EQ(target.isa, "sm_80");
  EXPECT_EQ(target.driver, "CUDA 13.0");
  EXPECT_EQ(target.cores, 4);
  EXPECT_EQ(target.l2_bytes, 1 << 20);
}

TEST_F(OnVirtualGpu, FindsADeviceByItsUuid) {
  const auto driver = std::move(CudaDriver::load(TRIODE_VIRTUAL_DRIVER)).take();
  const auto second = describe_cuda_device(*driver, 1);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(find_cuda_device(*driver, second->uuid).value(), 1);
  EXPECT_EQ(find_cuda_device(*driver, std::string(32, '0')).status().code(), StatusCode::kNotFound);
}

TEST_F(OnVirtualGpu, RunsWhatItBuilds) {
  const auto artifact = build(Problem::mm(DType::kF32, 5, 5, 5));
  const Ones made = ones(5);
  ASSERT_TRUE(device_->run(*artifact, made.operands).ok());
  std::array<float, 25> c = {};
  ASSERT_TRUE(made.c.download(c.data()).ok());
  EXPECT_THAT(c, ::testing::Each(5.0f));
}

TEST_F(OnVirtualGpu, TimesPairsByTheDevicesClock) {
  Problem problem = Problem::mm(DType::kF32, 8, 8, 8);
  const auto artifact = build(problem);
  problem.k = 4;  // half of the work, on the same operands
  const auto quicker = build(problem);
  const Ones made = ones(8);
  const auto vendor = [&](const Operands& operands) {
    EXPECT_TRUE(device_->enqueue(*artifact, operands).ok());
  };
  for (const CacheState state : {CacheState::kWarm, CacheState::kCold}) {
    TimingOptions timing;
    timing.cache_state = state;
    const auto pair = device_->time(*quicker, vendor, made.operands, timing);
    ASSERT_TRUE(pair.ok()) << pair.status().message();
    EXPECT_GT(pair->speedup, 1);
    EXPECT_LT(pair->speedup, 3);
    EXPECT_NEAR(pair->speedup_spread, 0, 1e-3);
  }
}

TEST_F(OnVirtualGpu, KeepsToTheMemoryThatItMayUse) {
  CudaDeviceOptions limited = options();
  limited.memory_bytes = 1000;
  const auto device = std::move(CudaDevice::create(limited)).take();
  {
    const auto buffer = device->allocate(1000);
    EXPECT_TRUE(buffer.ok());
    EXPECT_EQ(device->allocate(1).status().code(), StatusCode::kResourceExhausted);
  }
  EXPECT_TRUE(device->allocate(1).ok());
}

TEST_F(OnVirtualGpu, LoadsCodeWhileAnotherThreadCapturesAStream) {
  const auto driver = std::move(CudaDriver::load(TRIODE_VIRTUAL_DRIVER)).take();
  auto* const stream = static_cast<CUstream>(device_->stream());
  const auto begin =
      reinterpret_cast<decltype(&cuStreamBeginCapture)>(driver_function("cuStreamBeginCapture_v2"));
  ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  std::thread([&] { build(Problem::mm(DType::kF32, 5, 5, 5)); }).join();
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  ASSERT_EQ(driver->cuStreamIsCapturing(stream, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
}

TEST_F(OnVirtualGpu, TellsARefusedLaunchFromALostContext) {
  const auto artifact = build(Problem::mm(DType::kF32, 5, 5, 5));
  const Ones made = ones(5);
  setenv("TRIODE_VGPU_FAULTS", "cuLaunchKernel=701", 1);
  EXPECT_THAT(device_->run(*artifact, made.operands).message(), HasSubstr("OUT_OF_RESOURCES"));
  EXPECT_TRUE(device_->wait().ok());
  setenv("TRIODE_VGPU_FAULTS", "cuLaunchKernel=700", 1);
  EXPECT_FALSE(device_->run(*artifact, made.operands).ok());
  EXPECT_EQ(device_->wait().code(), StatusCode::kUnavailable);
}

TEST_F(OnVirtualGpu, RefusesCodeThatTheDriverDoesNotTake) {
  CudaLaunch launch;
  launch.ptx = "nonsense";
  launch.entry = "none";
  launch.threads = 32;
  const auto loaded = device_->load({"", {launch}});
  EXPECT_EQ(loaded.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(loaded.status().message(), HasSubstr("CUDA_ERROR_INVALID_PTX"));
}

}  // namespace
}  // namespace triode
