// SPDX-License-Identifier: Apache-2.0
#include "bindings/operand_buffer.h"

#include <string>
#include <string_view>
#include <vector>

#include "bindings/status_error.h"

namespace triode::python {
namespace {

namespace py = pybind11;

// What the buffer protocol says of an operand.
struct Layout {
  DType dtype;
  std::vector<py::ssize_t> shape;
  std::vector<py::ssize_t> strides;  // in bytes
};

Layout make_layout(const Problem& problem, DType dtype, std::vector<py::ssize_t> shape, int64_t ld,
                   int64_t batch_stride) {
  const int64_t element = size_bytes(dtype);
  Layout layout{dtype, std::move(shape), {ld * element, element}};
  if (problem.op == Op::kBmm) {
    layout.shape.insert(layout.shape.begin(), problem.batch);
    layout.strides.insert(layout.strides.begin(), batch_stride * element);
  }
  return layout;
}

Layout expected_layout(const Problem& p, OperandName name) {
  using Shape = std::vector<py::ssize_t>;
  switch (name) {
    case OperandName::kA:
      return make_layout(p, p.a_type, p.a_transposed ? Shape{p.k, p.m} : Shape{p.m, p.k}, p.lda,
                         p.a_batch_stride);
    case OperandName::kB:
      return make_layout(p, p.b_type, p.b_transposed ? Shape{p.n, p.k} : Shape{p.k, p.n}, p.ldb,
                         p.b_batch_stride);
    case OperandName::kC:
      break;
  }
  return make_layout(p, p.c_type, {p.m, p.n}, p.ldc, p.c_batch_stride);
}

// In the struct module's letters, of this machine's byte order.
bool is_format_of(DType dtype, std::string_view format) {
  if (format.size() == 2 && std::string_view("@=<").find(format[0]) != std::string_view::npos) {
    format.remove_prefix(1);
  }
  return (dtype == DType::kF32 && format == "f") || (dtype == DType::kF64 && format == "d");
}

bool are_strides_of(const Layout& layout, const py::buffer_info& buffer) {
  for (size_t i = 0; i < layout.shape.size(); ++i) {
    if (layout.shape[i] > 1 && layout.strides[i] != buffer.strides[i]) return false;
  }
  return true;
}

std::string in_words(const std::vector<py::ssize_t>& numbers) {
  std::string out;
  for (const py::ssize_t number : numbers) {
    out += (out.empty() ? "" : ", ") + std::to_string(number);
  }
  return '(' + out + ')';
}

Status check(const Layout& want, const py::buffer_info& got) {
  if (!is_format_of(want.dtype, got.format)) {
    return invalid_argument("must hold " + std::string(to_string(want.dtype)) +
                            ", not elements of format '" + got.format + "'");
  }
  if (want.shape != got.shape) {
    return invalid_argument("must have shape " + in_words(want.shape) + ", not " +
                            in_words(got.shape));
  }
  if (!are_strides_of(want, got)) {
    return invalid_argument("must have strides of " + in_words(want.strides) + " bytes, not " +
                            in_words(got.strides));
  }
  return {};
}

}  // namespace

py::buffer_info operand_buffer(const Problem& problem, OperandName name, const py::buffer& array) {
  py::buffer_info buffer = array.request();
  Status status = check(expected_layout(problem, name), buffer);
  if (status.ok() && name == OperandName::kC && buffer.readonly) {
    status = invalid_argument("must be writable");
  }
  if (!status.ok()) {
    or_throw(Status(status.code(), std::string(1, static_cast<char>(name)) + " of \"" +
                                       to_string(problem) + "\" " + status.message() + "."));
  }
  return buffer;
}

}  // namespace triode::python
