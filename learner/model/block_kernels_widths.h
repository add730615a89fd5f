// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model: each in a file compiled for its width.
#pragma once

#include "learner/model/block_kernels.h"

namespace triode {

extern const BlockKernels kAvx512Kernels;
extern const BlockKernels kAvx2Kernels;
extern const BlockKernels kPortableKernels;

}  // namespace triode
