// SPDX-License-Identifier: Apache-2.0
#include "learner/model/tree_kernels_body.h"

namespace triode {

extern const TreeKernel kAvx2TreeKernel = {"avx2", add_trees};

}  // namespace triode
