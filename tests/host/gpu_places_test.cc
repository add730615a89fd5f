// SPDX-License-Identifier: Apache-2.0
// On the stand-in driver, which this process loads as a program would.
#include "runtime/host/gpu_places.h"

#include <gtest/gtest.h>

#include <array>
#include <future>

#include "runtime/host/plan_table.h"
#include "tests/virtual_gpu/driver_fixture.h"

namespace triode::host {
namespace {

using vgpu::driver_symbol;

class GpuPlaces : public vgpu::VirtualDriver {};

TEST_F(GpuPlaces, AreTheSameForCallsFromOneContext) {
  const GpuPlace* const place = current_gpu_place();
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(current_gpu_place(), place);
  EXPECT_EQ(gpu_place(place->number), place);
  EXPECT_EQ(std::async(std::launch::async,
                       [this] {
                         use_device(0);
                         return current_gpu_place();
                       })
                .get(),
            place);
}

TEST_F(GpuPlaces, AreOneForEachDevice) {
  const GpuPlace* const first = current_gpu_place();
  use_device(1);
  const GpuPlace* const second = current_gpu_place();
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first->number, second->number);
  EXPECT_NE(first->device.uuid, second->device.uuid);
  EXPECT_EQ(first->device.target.fingerprint(), second->device.target.fingerprint());
}

TEST_F(GpuPlaces, AreOthersAfterADeviceIsReset) {
  const GpuPlace* const before = current_gpu_place();
  ASSERT_EQ(TRIODE_DRIVER(cuDevicePrimaryCtxReset)(0), CUDA_SUCCESS);
  use_device(0);
  const GpuPlace* const after = current_gpu_place();
  ASSERT_NE(after, nullptr);
  EXPECT_NE(before->number, after->number);
}

TEST_F(GpuPlaces, AreNoneForAThreadWithoutAContext) {
  EXPECT_EQ(std::async(std::launch::async, [] { return current_gpu_place(); }).get(), nullptr);
  EXPECT_EQ(gpu_place(0), nullptr);
  EXPECT_EQ(gpu_place(1000), nullptr);
}

TEST(GpuTraits, HaveTheirPlaceWhereOthersHaveTheirThreads) {
  const auto traits = [](Symbol symbol) {
    return call_traits::of_site(symbol, 1) | uint64_t{7} << call_traits::kThreads;
  };
  EXPECT_EQ(gpu_place_of(traits(Symbol::k_cublasGemmEx)), 7);
  EXPECT_EQ(gpu_place_of(traits(Symbol::k_cblas_sgemm)), 0);
}

}  // namespace
}  // namespace triode::host
