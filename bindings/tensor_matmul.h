// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <triode/turn.h>

#include <cstdint>

namespace triode::torch_kernels {

// A matmul of tensors as the call that torch's own kernel comes down to: column-major, so that a
// result by rows is b' a'. Each take_ function says whether it understands what it is given; what
// it does not is torch's own matter, errors included.
class TensorMatmul {
 public:
  // Two matrices, or two batches of as many: plain f32 or f64 on the CPU, with elements to
  // multiply, whose rows or columns are stored without gaps between elements.
  bool take_operands(const at::Tensor& a, const at::Tensor& b);

  // c = alpha a b + beta self. Scalars that are no numbers, and alpha zero, are not taken.
  bool take_scalars(const at::Scalar& beta, const at::Scalar& alpha);

  // A result that make_result() will give.
  void take_new_result();
  at::Tensor make_result() const;

  // A result that is there, of the right size.
  bool take_result(const at::Tensor& c);

  // The tensor that the product is added to, where it is not the result itself: fill() copies it
  // there first. Nothing of it is read if beta is zero.
  bool take_addend(const at::Tensor& self) const;
  void fill(const at::Tensor& self, at::Tensor& c) const;

  // Whether filling c would write to this one's memory.
  static bool share_memory(const at::Tensor& one, const at::Tensor& other);

  // Where the result is written.
  void place_result(const at::Tensor& c) { call_.c = c.mutable_data_ptr(); }

  const triode_gemm_call& call() const { return call_; }
  int32_t function() const { return is_batch_ ? TRIODE_CBLAS_GEMM_BATCH : TRIODE_FORTRAN_GEMM; }
  bool reads_addend() const { return call_.beta != 0; }

 private:
  // A matrix, or the first of a batch, in memory.
  struct Stored {
    const void* data = nullptr;
    bool by_columns = false;
    int64_t ld = 0;
    int64_t stride = 0;  // to the next of the batch
  };

  static bool find_storage(const at::Tensor& tensor, Stored& stored);
  void lay_out(bool by_columns, int64_t ld, int64_t stride);
  bool has_sizes_of_result(at::IntArrayRef sizes) const;
  at::DimVector sizes() const;

  triode_gemm_call call_ = TRIODE_GEMM_CALL_INIT;
  Stored a_;
  Stored b_;
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  int64_t depth_ = 0;
  int64_t batch_ = 1;
  bool is_batch_ = false;
};

}  // namespace triode::torch_kernels
