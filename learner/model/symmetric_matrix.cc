// SPDX-License-Identifier: Apache-2.0
#include "learner/model/symmetric_matrix.h"

#include <cmath>

namespace triode {

bool cholesky(std::vector<double>& matrix, size_t n) {
  for (size_t row = 0; row < n; ++row) {
    double* this_row = matrix.data() + row * n;
    for (size_t column = 0; column <= row; ++column) {
      const double* other = matrix.data() + column * n;
      double sum = this_row[column];
      for (size_t i = 0; i < column; ++i) sum -= this_row[i] * other[i];
      if (column < row) {
        this_row[column] = sum / other[column];
      } else if (sum > 0) {
        this_row[row] = std::sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

std::vector<double> inverse_from_cholesky(const std::vector<double>& factor, size_t n) {
  // Rows of the inverse of L, which is lower triangular too.
  std::vector<double> lower(n * n, 0);
  for (size_t column = 0; column < n; ++column) {
    lower[column * n + column] = 1 / factor[column * n + column];
    for (size_t row = column + 1; row < n; ++row) {
      double sum = 0;
      for (size_t i = column; i < row; ++i) sum += factor[row * n + i] * lower[i * n + column];
      lower[row * n + column] = -sum / factor[row * n + row];
    }
  }
  std::vector<double> inverse(n * n, 0);
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (size_t i = a; i < n; ++i) sum += lower[i * n + a] * lower[i * n + b];
      inverse[a * n + b] = inverse[b * n + a] = sum;
    }
  }
  return inverse;
}

}  // namespace triode
