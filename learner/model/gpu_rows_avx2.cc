// SPDX-License-Identifier: Apache-2.0
// The same source for wider vectors; in here it computes rows and nothing else.
#include "learner/model/gpu_features.cc"
#include "learner/model/gpu_quantities.cc"
