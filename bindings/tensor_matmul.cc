// SPDX-License-Identifier: Apache-2.0
#include "bindings/tensor_matmul.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>

#include <algorithm>
#include <cstring>

namespace triode::torch_kernels {
namespace {

// A tensor with any of these is not what its strides say, or somebody else's to answer.
constexpr c10::DispatchKeySet kNotPlain({c10::DispatchKey::Python, c10::DispatchKey::Conjugate,
                                         c10::DispatchKey::Negative, c10::DispatchKey::ZeroTensor});

// Torch's own loops answer batches of matrices with less to multiply than this, faster than any
// function of a BLAS: a plan that beat one says nothing about them.
constexpr int64_t kLeastBatchedProducts = 400;

inline bool is_plain(const at::Tensor& tensor) {
  const c10::DispatchKeySet keys = tensor.key_set();
  return keys.has(c10::DispatchKey::CPU) && !keys.has_any(kNotPlain);
}

// The leading dimension of a matrix whose lines, of `length` elements, are that far apart.
bool find_ld(int64_t lines, int64_t length, int64_t line_stride, int64_t element_stride,
             int64_t& ld) {
  if (length > 1 && element_stride != 1) return false;
  ld = lines > 1 ? line_stride : length;
  return ld >= length;
}

}  // namespace

[[gnu::always_inline]] inline bool TensorMatmul::find_storage(const at::Tensor& tensor,
                                                              Stored& stored) {
  const auto sizes = tensor.sizes();
  const auto strides = tensor.strides();
  const size_t row = sizes.size() - 2, column = sizes.size() - 1;
  stored.by_columns = false;
  if (!find_ld(sizes[row], sizes[column], strides[row], strides[column], stored.ld)) {
    stored.by_columns = true;
    if (!find_ld(sizes[column], sizes[row], strides[column], strides[row], stored.ld)) return false;
  }
  stored.stride = row == 1 ? strides[0] : 0;
  return true;
}

bool TensorMatmul::take_operands(const at::Tensor& a, const at::Tensor& b) {
  if (!is_plain(a) || !is_plain(b) || a.scalar_type() != b.scalar_type()) return false;
  const bool is_double = a.scalar_type() == at::kDouble;
  if (!is_double && a.scalar_type() != at::kFloat) return false;
  const auto of_a = a.sizes(), of_b = b.sizes();
  is_batch_ = of_a.size() == 3;
  if (of_b.size() != of_a.size() || (!is_batch_ && of_a.size() != 2)) return false;
  const size_t row = is_batch_ ? 1 : 0, column = row + 1;
  if (of_a[column] != of_b[row] || of_a[0] == 0) return false;
  if (is_batch_ && of_a[0] != of_b[0]) return false;
  batch_ = is_batch_ ? of_a[0] : 1;
  rows_ = of_a[row];
  columns_ = of_b[column];
  depth_ = of_a[column];
  const int64_t products = rows_ * columns_ * depth_;
  if (products < (is_batch_ ? kLeastBatchedProducts : 1)) return false;
  if (!find_storage(a, a_) || !find_storage(b, b_)) return false;
  a_.data = a.const_data_ptr();
  b_.data = b.const_data_ptr();
  call_.dtype = is_double ? TRIODE_F64 : TRIODE_F32;
  return true;
}

bool TensorMatmul::take_scalars(const at::Scalar& beta, const at::Scalar& alpha) {
  const auto is_number = [](const at::Scalar& scalar) {
    return scalar.isFloatingPoint() || scalar.isIntegral(false);
  };
  if (!is_number(beta) || !is_number(alpha)) return false;
  call_.alpha = alpha.toDouble();
  call_.beta = beta.toDouble();
  return call_.alpha != 0;
}

[[gnu::always_inline]] inline void TensorMatmul::lay_out(bool by_columns, int64_t ld,
                                                         int64_t stride) {
  const Stored& first = by_columns ? a_ : b_;
  const Stored& second = by_columns ? b_ : a_;
  const auto transpose = [=](const Stored& one) {
    return one.by_columns == by_columns ? TRIODE_NO_TRANSPOSE : TRIODE_TRANSPOSE;
  };
  call_.layout = TRIODE_COLUMN_MAJOR;
  call_.transpose_a = transpose(first);
  call_.transpose_b = transpose(second);
  call_.m = by_columns ? rows_ : columns_;
  call_.n = by_columns ? columns_ : rows_;
  call_.k = depth_;
  call_.lda = first.ld;
  call_.ldb = second.ld;
  call_.ldc = ld;
  call_.a = first.data;
  call_.b = second.data;
  call_.batch = batch_;
  call_.a_stride = first.stride;
  call_.b_stride = second.stride;
  call_.c_stride = stride;
}

void TensorMatmul::take_new_result() {
  lay_out(false, columns_, rows_ * columns_);
}

at::DimVector TensorMatmul::sizes() const {
  return is_batch_ ? at::DimVector{batch_, rows_, columns_} : at::DimVector{rows_, columns_};
}

bool TensorMatmul::has_sizes_of_result(at::IntArrayRef sizes) const {
  const size_t row = is_batch_ ? 1 : 0;
  return sizes.size() == row + 2 && sizes[row] == rows_ && sizes[row + 1] == columns_ &&
         (!is_batch_ || sizes[0] == batch_);
}

at::Tensor TensorMatmul::make_result() const {
  return at::detail::empty_cpu(sizes(), call_.dtype == TRIODE_F64 ? at::kDouble : at::kFloat);
}

bool TensorMatmul::take_result(const at::Tensor& c) {
  const auto type = call_.dtype == TRIODE_F64 ? at::kDouble : at::kFloat;
  Stored stored;
  if (!is_plain(c) || c.scalar_type() != type || !has_sizes_of_result(c.sizes()) ||
      !find_storage(c, stored)) {
    return false;
  }
  const int64_t matrix = stored.ld * (stored.by_columns ? columns_ : rows_);
  if (batch_ > 1 && stored.stride < matrix) return false;
  lay_out(stored.by_columns, stored.ld, stored.stride);
  place_result(c);
  return true;
}

bool TensorMatmul::take_addend(const at::Tensor& self) const {
  const auto type = call_.dtype == TRIODE_F64 ? at::kDouble : at::kFloat;
  return is_plain(self) && self.scalar_type() == type &&
         at::is_expandable_to(self.sizes(), sizes());
}

void TensorMatmul::fill(const at::Tensor& self, at::Tensor& c) const {
  const size_t row_bytes = static_cast<size_t>(columns_) * c.element_size();
  const bool is_row = self.dim() == 1 && self.size(0) == columns_ && self.is_contiguous();
  if (!is_row || !c.is_contiguous()) {
    c.copy_(self.expand(c.sizes()));
    return;
  }
  // A bias, which most are: the general copy takes a microsecond before it begins.
  const void* const bias = self.const_data_ptr();
  auto* to = static_cast<char*>(c.mutable_data_ptr());
  for (int64_t i = 0; i < batch_ * rows_; ++i, to += row_bytes) std::memcpy(to, bias, row_bytes);
}

bool TensorMatmul::share_memory(const at::Tensor& one, const at::Tensor& other) {
  return one.storage().is_alias_of(other.storage());
}

}  // namespace triode::torch_kernels
