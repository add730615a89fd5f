// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/tuner/cublas_vendor.h"

namespace triode::tuner {

class VendorLibrary;

// cublasLtMatmul of that library.
Result<std::unique_ptr<CublasVendor>> make_lt_vendor(const VendorCall& call,
                                                     const VendorLibrary& library,
                                                     CudaDevice& device);

}  // namespace triode::tuner
