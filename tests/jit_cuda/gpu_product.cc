// SPDX-License-Identifier: Apache-2.0
#include "tests/jit_cuda/gpu_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/device.h"
#include "core/dtype.h"
#include "core/random.h"
#include "tests/reference/reference_gemm.h"
#include "tests/virtual_gpu/small_floats.h"

namespace triode {
namespace {

// A stored matrix, or a batch of them.
struct Layout {
  DType dtype;
  int64_t rows;
  int64_t columns;
  int64_t ld;
  int64_t batch;
  int64_t batch_stride;

  int64_t extent() const {
    return rows == 0 || columns == 0 ? 0 : (batch - 1) * batch_stride + (rows - 1) * ld + columns;
  }
};

Layout layout_of_a(const Problem& p) {
  return {p.a_type,        p.a_transposed ? p.k : p.m, p.a_transposed ? p.m : p.k, p.lda, p.batch,
          p.a_batch_stride};
}
Layout layout_of_b(const Problem& p) {
  return {p.b_type,        p.b_transposed ? p.n : p.k, p.b_transposed ? p.k : p.n, p.ldb, p.batch,
          p.b_batch_stride};
}
Layout layout_of_c(const Problem& p) {
  return {p.c_type, p.m, p.n, p.ldc, p.batch, p.c_batch_stride};
}

void write_element(DType dtype, std::byte* to, double value) {
  const uint16_t half = dtype == DType::kF16 ? vgpu::to_f16(value) : vgpu::to_bf16(value);
  const auto single = static_cast<float>(value);
  const uint32_t truncated = vgpu::to_tf32(value, vgpu::Rounding::kNearest);
  switch (dtype) {
    case DType::kF64:
      std::memcpy(to, &value, sizeof value);
      return;
    case DType::kF32:
      std::memcpy(to, &single, sizeof single);
      return;
    case DType::kTF32:
      std::memcpy(to, &truncated, sizeof truncated);
      return;
    default:
      std::memcpy(to, &half, sizeof half);
  }
}

template <typename T>
T read_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double read_element(DType dtype, const std::byte* from) {
  switch (dtype) {
    case DType::kF64:
      return read_as<double>(from);
    case DType::kF32:
    case DType::kTF32:
      return read_as<float>(from);
    case DType::kF16:
      return vgpu::f16_to_float(read_as<uint16_t>(from));
    default:
      return vgpu::bf16_to_float(read_as<uint16_t>(from));
  }
}

// Calls `visit` with the offset of each element, in elements, in order of batch, row and column.
template <typename Visit>
void for_each_element(const Layout& layout, Visit visit) {
  for (int64_t i = 0; i < layout.batch; ++i) {
    for (int64_t row = 0; row < layout.rows; ++row) {
      for (int64_t column = 0; column < layout.columns; ++column) {
        visit(i * layout.batch_stride + row * layout.ld + column);
      }
    }
  }
}

std::vector<std::byte> make_matrix(const Layout& layout, Random& random, bool is_nan) {
  const auto size = static_cast<size_t>(size_bytes(layout.dtype));
  // 0xff everywhere is a NaN of every type.
  std::vector<std::byte> bytes(static_cast<size_t>(layout.extent()) * size, std::byte{0xff});
  for_each_element(layout, [&](int64_t at) {
    const double value = 2 * random.uniform() - 1;
    if (!is_nan) write_element(layout.dtype, &bytes[static_cast<size_t>(at) * size], value);
  });
  return bytes;
}

std::vector<double> gather(const Layout& layout, const std::vector<std::byte>& bytes) {
  const auto size = static_cast<size_t>(size_bytes(layout.dtype));
  std::vector<double> values;
  for_each_element(layout, [&](int64_t at) {
    values.push_back(read_element(layout.dtype, &bytes[static_cast<size_t>(at) * size]));
  });
  return values;
}

void make_absolute(std::vector<double>& values) {
  for (double& value : values) value = std::abs(value);
}

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return std::numeric_limits<double>::epsilon();
    case DType::kF32:
    case DType::kTF32:  // as a type of c: what is stored has all bits of an f32
      return static_cast<double>(std::numeric_limits<float>::epsilon());
    case DType::kF16:
      return 0x1p-10;
    default:
      return 0x1p-7;
  }
}

// Half of the least step that the type has near zero.
double least_error(DType dtype) {
  return dtype == DType::kF16 ? 0x1p-25 : 0;
}

bool has_bias(Epilogue epilogue) {
  return epilogue == Epilogue::kBias || epilogue == Epilogue::kBiasRelu ||
         epilogue == Epilogue::kBiasGelu || epilogue == Epilogue::kBiasSilu;
}

double activate(Epilogue epilogue, double x) {
  switch (epilogue) {
    case Epilogue::kRelu:
    case Epilogue::kBiasRelu:
      return std::max(x, 0.0);
    case Epilogue::kSilu:
    case Epilogue::kBiasSilu:
      return x / (1 + std::exp(-x));
    case Epilogue::kGelu:
    case Epilogue::kBiasGelu:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    default:
      return x;
  }
}

}  // namespace

GpuProduct::GpuProduct(const Problem& problem, double alpha, double beta, uint64_t seed)
    : problem_(problem), alpha_(alpha), beta_(beta) {
  Random random(seed);
  a_ = make_matrix(layout_of_a(problem), random, false);
  b_ = make_matrix(layout_of_b(problem), random, false);
  c_ = make_matrix(layout_of_c(problem), random, beta == 0);
  bias_ = make_matrix({problem.c_type, 1, problem.n, problem.n, 1, 0}, random, false);
  compute_reference();
}

void GpuProduct::compute_reference() {
  Problem exact = problem_;
  exact.epilogue = Epilogue::kNone;
  exact.a_type = exact.b_type = exact.c_type = exact.accumulator = DType::kF64;
  exact.make_tight();
  exact.a_batch_stride = exact.m * exact.k;
  exact.b_batch_stride = exact.k * exact.n;
  exact.c_batch_stride = exact.m * exact.n;
  std::vector<double> a = gather(layout_of_a(problem_), a_);
  std::vector<double> b = gather(layout_of_b(problem_), b_);
  want_ = gather(layout_of_c(problem_), c_);
  magnitude_ = want_;
  reference_gemm(exact, {a.data(), b.data(), want_.data(), alpha_, beta_});
  make_absolute(a);
  make_absolute(b);
  make_absolute(magnitude_);
  reference_gemm(exact, {a.data(), b.data(), magnitude_.data(), std::abs(alpha_), std::abs(beta_)});
  apply_epilogue();
}

void GpuProduct::apply_epilogue() {
  // Sigmoid-like functions steepen an error by up to 1.13, and their exponential is good to some
  // last bits of f32.
  constexpr double kSteepest = 1.2;
  constexpr double kFunctionError = 8;
  const Epilogue epilogue = problem_.epilogue;
  const std::vector<double> bias =
      gather({problem_.c_type, 1, problem_.n, problem_.n, 1, 0}, bias_);
  const double gamma = static_cast<double>(problem_.k + 4) * epsilon_of(problem_.accumulator);
  for (size_t i = 0; i < want_.size(); ++i) {
    const double added = has_bias(epilogue) ? bias[i % bias.size()] : 0;
    const double before = want_[i] + added;
    want_[i] = activate(epilogue, before);
    magnitude_[i] += std::abs(added);
    if (epilogue == Epilogue::kNone || epilogue == Epilogue::kBias) continue;
    magnitude_[i] = kSteepest * magnitude_[i] +
                    kFunctionError * epsilon_of(DType::kF32) * std::abs(before) / gamma;
  }
}

std::optional<std::string> GpuProduct::find_mismatch(const std::vector<std::byte>& c) const {
  const Layout layout = layout_of_c(problem_);
  const auto size = static_cast<size_t>(size_bytes(layout.dtype));
  const double gamma = static_cast<double>(problem_.k + 4) * epsilon_of(problem_.accumulator);
  std::vector<bool> is_element(static_cast<size_t>(layout.extent()), false);
  std::optional<std::string> mismatch;
  size_t index = 0;
  for_each_element(layout, [&](int64_t at) {
    is_element[static_cast<size_t>(at)] = true;
    const double got = read_element(layout.dtype, &c[static_cast<size_t>(at) * size]);
    const double want = want_[index];
    const double bound = gamma * magnitude_[index] + epsilon_of(layout.dtype) / 2 * std::abs(want) +
                         least_error(layout.dtype);
    ++index;
    if (mismatch || std::abs(got - want) <= bound) return;  // false for a NaN
    mismatch = "element " + std::to_string(at) + " of c is " + std::to_string(got) +
               ", should be " + std::to_string(want) + " within " + std::to_string(bound);
  });
  for (size_t at = 0; at < is_element.size() && !mismatch; ++at) {
    if (!is_element[at] && std::memcmp(&c[at * size], &c_[at * size], size) != 0) {
      mismatch = "the gap at element " + std::to_string(at) + " of c was written";
    }
  }
  return mismatch;
}

}  // namespace triode
