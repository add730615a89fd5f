// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <cstddef>
#include <vector>

namespace triode {

// Of an n x n matrix, row-major, symmetric.

// Replaces the lower triangle by the factor L with L L^T = matrix; the upper is left as it is.
// False, with the matrix in pieces, if it is not positive definite.
bool cholesky(std::vector<double>& matrix, size_t n);

// The inverse of the matrix that `factor` came from, exactly symmetric.
std::vector<double> inverse_from_cholesky(const std::vector<double>& factor, size_t n);

}  // namespace triode
