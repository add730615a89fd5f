// SPDX-License-Identifier: Apache-2.0
#include "learner/model/block_kernels_body.h"
#include "learner/model/block_kernels_widths.h"

namespace triode {

extern const BlockKernels kPortableKernels = {"portable", dense, standardise};

}  // namespace triode
