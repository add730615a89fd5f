// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

// What guests have in common: the small programs that host tests run with Triode inside. A guest
// knows nothing of Triode. It prints facts, one `name=value` a line, and the test judges them.

extern "C" void cblas_sgemm(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);

namespace guest {

constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;

// One square product of small whole numbers, which every order of additions gets exactly.
class SquareMatmul {
 public:
  explicit SquareMatmul(int size)
      : size_(size), a_(elements()), b_(elements()), c_(elements(), kUnwritten) {
    for (size_t i = 0; i < elements(); ++i) {
      a_[i] = static_cast<float>(i % 7) - 3;
      b_[i] = static_cast<float>(i % 5) - 2;
    }
  }

  void run() {
    cblas_sgemm(kRowMajor, kNoTranspose, kNoTranspose, size_, size_, size_, 1, a_.data(), size_,
                b_.data(), size_, 0, c_.data(), size_);
  }

  // Runs, and compares with plain loops. No allocation.
  bool run_is_right() {
    for (float& element : c_) element = kUnwritten;
    run();
    return is_right();
  }

  bool is_right() const {
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j) {
        if (at(c_, i, j) != expected(i, j)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr float kUnwritten = 1e30f;

  size_t elements() const { return static_cast<size_t>(size_) * static_cast<size_t>(size_); }
  float at(const std::vector<float>& matrix, int i, int j) const {
    return matrix[static_cast<size_t>(i) * static_cast<size_t>(size_) + static_cast<size_t>(j)];
  }
  float expected(int i, int j) const {
    float sum = 0;
    for (int l = 0; l < size_; ++l) sum += at(a_, i, l) * at(b_, l, j);
    return sum;
  }

  int size_;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<float> c_;
};

inline void say(const char* name, long long value) {
  std::printf("%s=%lld\n", name, value);
  std::fflush(stdout);
}

}  // namespace guest
