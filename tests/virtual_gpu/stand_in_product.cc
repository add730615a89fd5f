// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/stand_in_product.h"

#include <cmath>
#include <cstdlib>
#include <optional>

#include "runtime/device/typed_element.h"
#include "tests/virtual_gpu/enqueued_work.h"

namespace triode::vgpu {
namespace {

// A slow vendor: what is tested is who answers, not who is fast.
constexpr double kLaunchMs = 0.5;
constexpr double kMultiplyMs = 1e-5;

double virtual_ms(const VendorProduct& p) {
  const char* const wanted = std::getenv("TRIODE_VGPU_VENDOR_MS");
  const double slowest =
      wanted != nullptr ? std::strtod(wanted, nullptr)
                        : kLaunchMs + kMultiplyMs * static_cast<double>(p.m * p.n * p.k * p.batch);
  return slowest / p.times_faster;
}

// Empty for a type that it does not know.
std::optional<DType> dtype_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return DType::kF16;
    case CUDA_R_16BF:
      return DType::kBF16;
    case CUDA_R_32F:
      return DType::kF32;
    case CUDA_R_64F:
      return DType::kF64;
    default:
      return std::nullopt;
  }
}

uint64_t element_bytes(cudaDataType type) {
  return static_cast<uint64_t>(size_bytes(dtype_of(type).value_or(DType::kF32)));
}

// A column-major matrix in the device's memory.
class Matrix {
 public:
  Matrix(TriodeVgpuMemory memory, CUdeviceptr address, cudaDataType type, int64_t ld)
      : memory_(memory), address_(address), type_(*dtype_of(type)), ld_(ld) {}

  // False: such an element is in no allocation.
  bool read(int64_t row, int64_t column, double& value) const {
    const void* const at = place(row, column);
    if (at == nullptr) return false;
    value = load_element(at, type_);
    return true;
  }
  bool write(int64_t row, int64_t column, double value) const {
    void* const at = place(row, column);
    if (at == nullptr) return false;
    store_element(at, type_, value);
    return true;
  }

 private:
  void* place(int64_t row, int64_t column) const {
    const auto bytes = static_cast<uint64_t>(size_bytes(type_));
    return memory_.at(address_ + static_cast<uint64_t>(row + column * ld_) * bytes, bytes);
  }

  TriodeVgpuMemory memory_;
  CUdeviceptr address_;
  DType type_;
  int64_t ld_;
};

double activated(const VendorProduct& p, double value) {
  if (p.has_relu) return value > 0 ? value : 0;
  if (!p.has_gelu) return value;
  const double inner = 0.7978845608028654 * (value + 0.044715 * value * value * value);
  return 0.5 * value * (1 + std::tanh(inner));
}

// One element of d; false if it reads or writes where nothing is.
bool make_element(const VendorProduct& p, const Matrix& a, const Matrix& b, const Matrix& c,
                  const Matrix& d, const Matrix& bias, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t l = 0; l < p.k; ++l) {
    double x = 0, y = 0;
    if (!(p.a_transposed ? a.read(l, i, x) : a.read(i, l, x))) return false;
    if (!(p.b_transposed ? b.read(j, l, y) : b.read(l, j, y))) return false;
    sum += x * y;
  }
  sum *= p.alpha;
  double extra = 0;
  if (p.beta != 0) {
    if (!c.read(i, j, extra)) return false;
    sum += p.beta * extra;
  }
  if (p.adds_bias) {
    if (!bias.read(i, 0, extra)) return false;
    sum += extra;
  }
  return d.write(i, j, activated(p, sum));
}

CUresult compute(const VendorProduct& p, TriodeVgpuMemory memory) {
  const auto offset = [](int64_t elements, cudaDataType type) {
    return static_cast<uint64_t>(elements) * element_bytes(type);
  };
  for (int64_t index = 0; index < p.batch; ++index) {
    const Matrix a(memory, p.a + offset(index * p.a_stride, p.a_type), p.a_type, p.lda);
    const Matrix b(memory, p.b + offset(index * p.b_stride, p.b_type), p.b_type, p.ldb);
    const Matrix c(memory, p.c + offset(index * p.c_stride, p.c_type), p.c_type, p.ldc);
    const Matrix d(memory, p.d + offset(index * p.d_stride, p.c_type), p.c_type, p.ldd);
    const Matrix bias(memory, p.bias, p.c_type, p.m);
    for (int64_t j = 0; j < p.n; ++j) {
      for (int64_t i = 0; i < p.m; ++i) {
        if (!make_element(p, a, b, c, d, bias, i, j)) return CUDA_ERROR_ILLEGAL_ADDRESS;
      }
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult enqueue_product(const VendorProduct& product, CUstream stream) {
  if (!dtype_of(product.a_type) || product.b_type != product.a_type || !dtype_of(product.c_type)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return triode_vgpu_enqueue(
      stream, virtual_ms(product),
      [](void* context, TriodeVgpuMemory memory) {
        return compute(*static_cast<const VendorProduct*>(context), memory);
      },
      new VendorProduct(product),
      [](void* context) { delete static_cast<VendorProduct*>(context); });
}

}  // namespace triode::vgpu
