// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/guarded_operands.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "core/random.h"

namespace triode::tuner {
namespace {

constexpr size_t kPage = 4096;
constexpr double kGap = 1234.5;         // what no kernel writes there by chance
constexpr unsigned char kSlack = 0xA5;  // bytes beside c

size_t to_pages(size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// What alpha is where it is not 0, 1 or -1: its products with eighths are exact, too.
constexpr double kOtherAlpha = 1.5;
constexpr double kOtherBeta = 0.5;

// Whether any sum of a call's terms is exact on kEighths, in whatever order they are added, rounded
// one by one or fused, with alpha on an operand or on the sum: all are multiples of one step, and
// none is beyond what the type counts in such steps.
template <typename T>
bool sums_of_eighths_are_exact(int64_t k) {
  constexpr double kStep = 1.0 / 128;  // half the product of two eighths, for alpha's half
  const double largest = kOtherAlpha * static_cast<double>(k) + kOtherBeta;
  return largest / kStep <= 2 / double{std::numeric_limits<T>::epsilon()};
}

double scalar_value(ScalarClass scalar, double other) {
  constexpr double kValues[] = {0, 1, -1};
  return scalar == ScalarClass::kOther ? other : kValues[static_cast<size_t>(scalar)];
}

// One element along row i, column j; `along_k` is its position in the sums it takes part in.
double draw(Contents contents, int64_t along_k, double least_normal, Random& random) {
  // Never zero: a product that is left out must be missed.
  const double step = static_cast<double>(random.below(16)) - 8;
  const double eighth = (step < 0 ? step : step + 1) / 8;
  switch (contents) {
    case Contents::kEighths:
      break;
    case Contents::kDenormals:
      return random.below(2) == 0 ? least_normal * random.uniform() : eighth;
    case Contents::kMagnitudes:
      return std::ldexp(eighth, static_cast<int>(random.below(41)) - 20);
    case Contents::kCancellation:
      return (along_k % 2 == 0 ? 4096 : -4096) + eighth;
  }
  return eighth;
}

}  // namespace

// Rows and columns as they lie in memory, between pages that nobody may touch.
struct GuardedOperands::Matrix {
  int64_t rows, columns, ld, batch, stride;
  bool k_is_row = false;
  std::byte* mapping = nullptr;
  size_t inner_bytes = 0;     // between the guards
  std::byte* data = nullptr;  // null: no memory

  int64_t extent() const { return (batch - 1) * stride + (rows - 1) * ld + columns; }
  std::byte* inner() const { return mapping + kPage; }
  size_t mapped_bytes() const { return inner_bytes + 2 * kPage; }

  void map(size_t element_bytes, size_t alignment, bool at_start) {
    const size_t bytes = static_cast<size_t>(extent()) * element_bytes;
    inner_bytes = to_pages(bytes);
    void* const mapped = mmap(nullptr, mapped_bytes(), PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return;
    mapping = static_cast<std::byte*>(mapped);
    if (!protect(PROT_READ | PROT_WRITE)) return;
    data = at_start ? inner() : inner() + (inner_bytes - bytes) / alignment * alignment;
  }

  bool protect(int protection) const { return mprotect(inner(), inner_bytes, protection) == 0; }

  // Calls visit(element, i, j) for each; a matrix that is repeated is visited once.
  template <typename T, typename Visit>
  void for_each(const Visit& visit) const {
    const int64_t matrices = stride == 0 ? 1 : batch;
    for (int64_t z = 0; z < matrices; ++z) {
      for (int64_t i = 0; i < rows; ++i) {
        T* const row = reinterpret_cast<T*>(data) + z * stride + i * ld;
        for (int64_t j = 0; j < columns; ++j) visit(row[j], i, j);
      }
    }
  }

  ~Matrix() {
    if (mapping != nullptr) munmap(mapping, mapped_bytes());
  }
};

GuardedOperands::GuardedOperands(const Problem& problem, bool at_start) : problem_(problem) {
  const Problem& p = problem;
  const auto make = [](int64_t rows, int64_t columns, int64_t ld, int64_t batch, int64_t stride,
                       bool k_is_row) {
    return std::unique_ptr<Matrix>(new Matrix{rows, columns, ld, batch, stride, k_is_row});
  };
  a_ = p.a_transposed ? make(p.k, p.m, p.lda, p.batch, p.a_batch_stride, true)
                      : make(p.m, p.k, p.lda, p.batch, p.a_batch_stride, false);
  b_ = p.b_transposed ? make(p.n, p.k, p.ldb, p.batch, p.b_batch_stride, false)
                      : make(p.k, p.n, p.ldb, p.batch, p.b_batch_stride, true);
  c_ = make(p.m, p.n, p.ldc, p.batch, p.c_batch_stride, false);
  for (Matrix* const matrix : {a_.get(), b_.get(), c_.get()}) {
    matrix->map(static_cast<size_t>(size_bytes(p.c_type)), static_cast<size_t>(p.alignment_bytes),
                at_start);
  }
  // As those of ProblemOperands: a beta below 1 keeps c bounded over repeated calls.
  operands_ = {a_->data, b_->data, c_->data, scalar_value(p.alpha, kOtherAlpha),
               scalar_value(p.beta, kOtherBeta)};
}

GuardedOperands::~GuardedOperands() = default;

Result<std::unique_ptr<GuardedOperands>> GuardedOperands::make(const Problem& problem,
                                                               Contents contents, bool at_start,
                                                               uint64_t seed,
                                                               const VendorKernel& vendor) {
  const DType type = problem.c_type;
  const bool is_one_type = problem.a_type == type && problem.b_type == type;
  if (!is_one_type || (type != DType::kF32 && type != DType::kF64) ||
      problem.epilogue != Epilogue::kNone) {
    return unsupported("'" + to_string(problem) + "' cannot be checked: only f32 and f64 can be");
  }
  if (problem.flops() <= 0) return unsupported("'" + to_string(problem) + "' multiplies nothing");
  std::unique_ptr<GuardedOperands> made(new GuardedOperands(problem, at_start));
  const Operands& operands = made->operands_;
  if (operands.a == nullptr || operands.b == nullptr || operands.c == nullptr) {
    return resource_exhausted("no memory for the operands of '" + to_string(problem) + "'");
  }
  if (type == DType::kF32) {
    made->fill<float>(contents, seed, vendor);
  } else {
    made->fill<double>(contents, seed, vendor);
  }
  return made;
}

template <typename T>
void GuardedOperands::fill(Contents contents, uint64_t seed, const VendorKernel& vendor) {
  Random random(seed);
  for (const Matrix* const matrix : {a_.get(), b_.get()}) {
    std::fill_n(reinterpret_cast<T*>(matrix->inner()), matrix->inner_bytes / sizeof(T),
                std::numeric_limits<T>::quiet_NaN());
    matrix->for_each<T>([&](T& element, int64_t i, int64_t j) {
      const int64_t along_k = matrix->k_is_row ? i : j;
      // Large terms in one factor alone: with both, nothing would cancel.
      const bool is_plain = contents == Contents::kCancellation && matrix == b_.get();
      element = static_cast<T>(draw(is_plain ? Contents::kEighths : contents, along_k,
                                    double{std::numeric_limits<T>::min()}, random));
    });
  }
  if (contents == Contents::kEighths && sums_of_eighths_are_exact<T>(problem_.k)) {
    bounds_.assign(static_cast<size_t>(c_->extent()) * sizeof(T), std::byte{0});
  } else {
    find_bounds<T>(vendor);
  }
  reset_c();
  vendor(operands_);
  expected_.assign(c_->data, c_->data + static_cast<size_t>(c_->extent()) * sizeof(T));
  for (const Matrix* const matrix : {a_.get(), b_.get()}) (void)matrix->protect(PROT_READ);
}

// The vendor multiplies the magnitudes; the signs come back after it.
template <typename T>
void GuardedOperands::find_bounds(const VendorKernel& vendor) {
  std::vector<bool> negative;
  for (const Matrix* const matrix : {a_.get(), b_.get()}) {
    matrix->for_each<T>([&](T& element, int64_t, int64_t) {
      negative.push_back(std::signbit(element));
      element = std::abs(element);
    });
  }
  std::fill_n(reinterpret_cast<T*>(c_->data), c_->extent(), T{0});
  if (operands_.beta != 0) c_->for_each<T>([](T& element, int64_t, int64_t) { element = 1; });
  Operands magnitudes = operands_;
  magnitudes.alpha = std::abs(operands_.alpha);
  magnitudes.beta = std::abs(operands_.beta);
  vendor(magnitudes);
  const double k = static_cast<double>(problem_.k) + 4;
  const auto extent = static_cast<size_t>(c_->extent());
  bounds_.resize(extent * sizeof(T));
  T* const bounds = reinterpret_cast<T*>(bounds_.data());
  for (size_t i = 0; i < extent; ++i) {
    const double sum = double{reinterpret_cast<const T*>(c_->data)[i]};
    bounds[i] = static_cast<T>(
        2 * k *
        (double{std::numeric_limits<T>::epsilon()} * sum + double{std::numeric_limits<T>::min()}));
  }
  size_t at = 0;
  for (const Matrix* const matrix : {a_.get(), b_.get()}) {
    matrix->for_each<T>([&](T& element, int64_t, int64_t) {
      if (negative[at++]) element = -element;
    });
  }
}

template <typename T>
void GuardedOperands::reset_c_as() {
  std::memset(c_->inner(), kSlack, c_->inner_bytes);
  std::fill_n(reinterpret_cast<T*>(c_->data), c_->extent(), static_cast<T>(kGap));
  const bool survives = operands_.beta != 0;
  c_->for_each<T>([survives](T& element, int64_t i, int64_t j) {
    element = survives ? static_cast<T>(static_cast<double>((7 * i + 3 * j) % 17 - 8) / 8)
                       : std::numeric_limits<T>::quiet_NaN();
  });
}

void GuardedOperands::reset_c() {
  if (problem_.c_type == DType::kF32) {
    reset_c_as<float>();
  } else {
    reset_c_as<double>();
  }
}

template <typename T>
Outcome GuardedOperands::check_as() const {
  const T* const got = reinterpret_cast<const T*>(c_->data);
  const T* const right = reinterpret_cast<const T*>(expected_.data());
  const T* const bound = reinterpret_cast<const T*>(bounds_.data());
  for (int64_t i = 0; i < c_->extent(); ++i) {
    // NaN must count as wrong, hence the negated comparison.
    if (!(std::abs(got[i] - right[i]) <= bound[i])) {
      return {OutcomeKind::kWrongResult, "element " + std::to_string(i) + " of c is " +
                                             std::to_string(got[i]) + ", and the vendor's " +
                                             std::to_string(right[i])};
    }
  }
  const auto is_slack = [](std::byte byte) { return byte == std::byte{kSlack}; };
  const std::byte* const end = c_->data + expected_.size();
  if (!std::all_of(static_cast<const std::byte*>(c_->inner()),
                   static_cast<const std::byte*>(c_->data), is_slack) ||
      !std::all_of(end, static_cast<const std::byte*>(c_->inner() + c_->inner_bytes), is_slack)) {
    return {OutcomeKind::kWrongResult, "memory beside c was written to"};
  }
  return {};
}

Outcome GuardedOperands::check() const {
  return problem_.c_type == DType::kF32 ? check_as<float>() : check_as<double>();
}

}  // namespace triode::tuner
