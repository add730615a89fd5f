// SPDX-License-Identifier: Apache-2.0
// Triode's C++ interface: triode.h with lifetimes, types and exceptions. C++20, header only.
#pragma once

#include <triode/triode.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace triode {

// Why a call failed: a code of triode.h, and its text.
class Error : public std::runtime_error {
 public:
  Error(triode_status code, const std::string& text) : std::runtime_error(text), code_(code) {}
  triode_status code() const noexcept { return code_; }

 private:
  triode_status code_;
};

// Triode in this process. What fails throws Error. Any thread may call.
//
//   triode::Runtime runtime(triode::Runtime::Options{.mode = TRIODE_MODE_TUNE});
//   runtime.gemm({.m = 64, .n = 32, .k = 16}, 1, a, b, 0, c);
//
// Whose BLAS is meant is told by who calls, so functions that lead there are hidden: the loader
// would give two libraries of one program the same copy of an inline function.
class Runtime {
 public:
  // See triode_options; empty texts are its NULLs.
  struct Options {
    int32_t mode = TRIODE_MODE_DEFAULT;
    int32_t threads = 0;
    bool report = false;
    bool report_json = false;
    std::string report_file = {};
    std::string cache = {};
    std::string plans = {};
    int32_t force_plans = TRIODE_FORCE_OFF;
    bool in_process = false;
  };

  // See triode_gemm_call. A leading dimension of 0 is that of a matrix without gaps.
  struct Shape {
    int64_t m = 0;
    int64_t n = 0;
    int64_t k = 0;
    bool a_transposed = false;
    bool b_transposed = false;
    bool is_column_major = false;
    int64_t lda = 0;
    int64_t ldb = 0;
    int64_t ldc = 0;
    int64_t batch = 1;
    int64_t a_stride = 0;
    int64_t b_stride = 0;
    int64_t c_stride = 0;
  };

  // Where a matrix, or a batch of them, lies: a pointer; or anything that is a span, a vector or an
  // array say, which must then hold all of it.
  template <typename T>
  class Operand {
   public:
    Operand(T* data) : data_(data) {}
    template <typename Range>
    requires(std::convertible_to<Range, std::span<T>>) Operand(Range&& range)
        : Operand(std::span<T>(range)) {}
    Operand(std::span<T> all) : data_(all.data()), length_(all.size()) {}

    T* data() const { return data_; }
    std::size_t length() const { return length_; }

   private:
    T* data_;
    std::size_t length_ = std::numeric_limits<std::size_t>::max();
  };

  // A matmul of one shape that is made again and again. Any number of threads may run one at once;
  // it may outlive the Runtime.
  template <typename T>
  class Plan {
   public:
    Plan(Plan&& other) noexcept
        : shape_(other.shape_), plan_(std::exchange(other.plan_, nullptr)) {}
    Plan& operator=(Plan&& other) noexcept {
      std::swap(shape_, other.shape_);
      std::swap(plan_, other.plan_);
      return *this;
    }
    ~Plan() { triode_plan_destroy(plan_); }

    void run(T alpha, Operand<const T> a, Operand<const T> b, T beta, Operand<T> c) const {
      check_lengths(shape_, a.length(), b.length(), c.length());
      check(triode_plan_run(plan_, alpha, a.data(), b.data(), beta, c.data()));
    }

   private:
    friend class Runtime;
    Plan(const triode_gemm_call& shape, triode_plan* plan) : shape_(shape), plan_(plan) {}

    triode_gemm_call shape_;
    triode_plan* plan_;  // owned; null if moved from
  };

  // Starts Triode. TRIODE_ALREADY_STARTED if it has started before.
  explicit Runtime(const Options& options) : owns_(true) {
    triode_options given = TRIODE_OPTIONS_INIT;
    given.mode = options.mode;
    given.threads = options.threads;
    given.report = options.report ? 1 : 0;
    given.report_json = options.report_json ? 1 : 0;
    given.report_file = options.report_file.c_str();
    given.cache = options.cache.c_str();
    given.plans = options.plans.c_str();
    given.force_plans = options.force_plans;
    given.in_process = options.in_process ? 1 : 0;
    check(triode_init(&given));
  }

  // Starts Triode as the TRIODE_* variables say, or joins it where it has started: under
  // `triode run`, say.
  Runtime() {
    const triode_status status = triode_init(nullptr);
    owns_ = status == TRIODE_OK;
    if (status != TRIODE_ALREADY_STARTED) check(status);
  }

  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Shuts Triode down, if this has started it.
  ~Runtime() {
    if (owns_) triode_shutdown();
  }

  // c = alpha op(a) op(b) + beta c.
  [[gnu::visibility("hidden")]] void gemm(const Shape& shape, float alpha, Operand<const float> a,
                                          Operand<const float> b, float beta,
                                          Operand<float> c) const {
    gemm_as<float>(shape, alpha, a, b, beta, c);
  }
  [[gnu::visibility("hidden")]] void gemm(const Shape& shape, double alpha, Operand<const double> a,
                                          Operand<const double> b, double beta,
                                          Operand<double> c) const {
    gemm_as<double>(shape, alpha, a, b, beta, c);
  }

  // A plan for calls that mostly have these scalars.
  template <typename T>
  [[gnu::visibility("hidden")]] Plan<T> plan(const Shape& shape, T alpha = 1, T beta = 0) const {
    const triode_gemm_call call = describe<T>(shape, alpha, beta);
    triode_plan* made = nullptr;
    check(triode_plan_create(&call, &made));
    return Plan<T>(call, made);
  }

  // Who answers calls of this shape and these scalars, and how fast.
  template <typename T>
  [[gnu::visibility("hidden")]] triode_plan_info query(const Shape& shape, T alpha = 1,
                                                       T beta = 0) const {
    const triode_gemm_call call = describe<T>(shape, alpha, beta);
    triode_plan_info info{};
    info.size = sizeof info;
    check(triode_plan_query(&call, &info));
    return info;
  }

  triode_statistics statistics() const {
    triode_statistics sums{};
    sums.size = sizeof sums;
    check(triode_stats(&sums));
    return sums;
  }

 private:
  static void check(triode_status status) {
    if (status != TRIODE_OK) throw Error(status, triode_last_error());
  }

  template <typename T>
  [[gnu::visibility("hidden")]] void gemm_as(const Shape& shape, T alpha, const Operand<const T>& a,
                                             const Operand<const T>& b, T beta,
                                             const Operand<T>& c) const {
    triode_gemm_call call = describe<T>(shape, alpha, beta);
    check_lengths(call, a.length(), b.length(), c.length());
    call.a = a.data();
    call.b = b.data();
    call.c = c.data();
    check(triode_gemm(&call));
  }

  template <typename T>
  static triode_gemm_call describe(const Shape& shape, T alpha, T beta) {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
    triode_gemm_call call = TRIODE_GEMM_CALL_INIT;
    call.dtype = std::is_same_v<T, float> ? TRIODE_F32 : TRIODE_F64;
    call.layout = shape.is_column_major ? TRIODE_COLUMN_MAJOR : TRIODE_ROW_MAJOR;
    call.transpose_a = shape.a_transposed ? TRIODE_TRANSPOSE : TRIODE_NO_TRANSPOSE;
    call.transpose_b = shape.b_transposed ? TRIODE_TRANSPOSE : TRIODE_NO_TRANSPOSE;
    call.m = shape.m;
    call.n = shape.n;
    call.k = shape.k;
    const auto ld = [](int64_t given, const Lines& lines) {
      return given != 0 ? given : std::max<int64_t>(lines.length, 1);
    };
    call.lda = ld(shape.lda, lines_of_a(call));
    call.ldb = ld(shape.ldb, lines_of_b(call));
    call.ldc = ld(shape.ldc, lines_of_c(call));
    call.alpha = alpha;
    call.beta = beta;
    call.batch = shape.batch;
    call.a_stride = shape.a_stride;
    call.b_stride = shape.b_stride;
    call.c_stride = shape.c_stride;
    return call;
  }

  // A matrix as it lies in memory: its rows or columns, whichever are stretches of neighbours.
  struct Lines {
    int64_t count;
    int64_t length;
  };
  static Lines lines(int64_t rows, int64_t columns, bool are_rows) {
    return are_rows ? Lines{rows, columns} : Lines{columns, rows};
  }
  static bool by_rows(const triode_gemm_call& call) { return call.layout == TRIODE_ROW_MAJOR; }
  static Lines lines_of_a(const triode_gemm_call& call) {
    return lines(call.m, call.k, by_rows(call) == (call.transpose_a == TRIODE_NO_TRANSPOSE));
  }
  static Lines lines_of_b(const triode_gemm_call& call) {
    return lines(call.k, call.n, by_rows(call) == (call.transpose_b == TRIODE_NO_TRANSPOSE));
  }
  static Lines lines_of_c(const triode_gemm_call& call) {
    return lines(call.m, call.n, by_rows(call));
  }

  static void check_lengths(const triode_gemm_call& call, std::size_t a, std::size_t b,
                            std::size_t c) {
    check_length("a", lines_of_a(call), call.lda, call.batch, call.a_stride, a);
    check_length("b", lines_of_b(call), call.ldb, call.batch, call.b_stride, b);
    check_length("c", lines_of_c(call), call.ldc, call.batch, call.c_stride, c);
  }

  // In floating point, since nobody has looked at these numbers yet: exact up to 2^64.
  static void check_length(const char* name, const Lines& matrix, int64_t ld, int64_t batch,
                           int64_t stride, std::size_t length) {
    if (matrix.count <= 0 || matrix.length <= 0) return;
    using Real = long double;
    const Real needed = (static_cast<Real>(batch) - 1) * static_cast<Real>(stride) +
                        static_cast<Real>(matrix.count - 1) * static_cast<Real>(ld) +
                        static_cast<Real>(matrix.length);
    if (needed <= static_cast<Real>(length)) return;
    throw Error(TRIODE_INVALID_ARGUMENT, std::string("triode::Runtime: ") + name + " holds " +
                                             std::to_string(length) +
                                             " elements; the shape needs more");
  }

  bool owns_ = false;
};

}  // namespace triode
