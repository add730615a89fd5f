// SPDX-License-Identifier: Apache-2.0
// Products that the test computes itself, in the memory of the virtual GPU: a test instrument.
#include "runtime/tuner/gpu_operands.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace triode::tuner {
namespace {

// What the driver gives to programs.
template <typename Function>
Function* driver_function(const char* name) {
  void* const driver = dlopen(TRIODE_VIRTUAL_DRIVER, RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(driver, name));
}

std::vector<float> read(const void* device, size_t count) {
  static auto* const copy = driver_function<int(void*, uint64_t, size_t)>("cuMemcpyDtoH_v2");
  std::vector<float> values(count);
  EXPECT_EQ(copy(values.data(), reinterpret_cast<uint64_t>(device), count * sizeof(float)), 0);
  return values;
}

void write(void* device, const std::vector<float>& values) {
  static auto* const copy = driver_function<int(uint64_t, const void*, size_t)>("cuMemcpyHtoD_v2");
  EXPECT_EQ(copy(reinterpret_cast<uint64_t>(device), values.data(), values.size() * sizeof(float)),
            0);
}

// Forwards, or in the order of another kernel.
void multiply(const Problem& p, int64_t k, const Operands& operands, bool backwards) {
  const auto a = read(operands.a, static_cast<size_t>(p.m * p.lda));
  const auto b = read(operands.b, static_cast<size_t>(p.k * p.ldb));
  auto c = read(operands.c, static_cast<size_t>(p.m * p.ldc));
  const auto at = [](int64_t row, int64_t column, int64_t ld) {
    return static_cast<size_t>(row * ld + column);
  };
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      float sum = 0;
      for (int64_t step = 0; step < k; ++step) {
        const int64_t l = backwards ? k - 1 - step : step;
        sum += a[at(i, l, p.lda)] * b[at(l, j, p.ldb)];
      }
      float& element = c[at(i, j, p.ldc)];
      element =
          static_cast<float>(operands.alpha) * sum + static_cast<float>(operands.beta) * element;
    }
  }
  write(operands.c, c);
}

class LongGpuSums : public ::testing::Test {
 protected:
  void SetUp() override {
    problem_.alpha = problem_.beta = ScalarClass::kOther;
    CudaDeviceOptions options;
    options.driver = TRIODE_VIRTUAL_DRIVER;
    device_ = std::move(CudaDevice::create(options)).take();
    operands_ = std::move(GpuOperands::make(*device_, problem_, GpuOperands::Contents::kEighths, 1,
                                            [this](const Operands& operands) {
                                              multiply(problem_, problem_.k, operands, false);
                                              return Status();
                                            }))
                    .take();
    ASSERT_TRUE(operands_->reset_c().ok());
  }

  Problem problem_ = Problem::mm(DType::kF32, 2, 3, 16384);
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<GpuOperands> operands_;
};

TEST_F(LongGpuSums, RefuseASingleProductThatWasForgotten) {
  multiply(problem_, problem_.k - 1, operands_->operands(), false);
  EXPECT_EQ(operands_->check().value().kind, OutcomeKind::kWrongResult);
}

TEST_F(LongGpuSums, AcceptAnyOrderOfAdditions) {
  multiply(problem_, problem_.k, operands_->operands(), true);
  EXPECT_TRUE(operands_->check().value().ok()) << operands_->check().value().reason;
}

}  // namespace
}  // namespace triode::tuner
