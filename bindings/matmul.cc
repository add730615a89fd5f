// SPDX-License-Identifier: Apache-2.0
#include "bindings/matmul.h"

#include <utility>

#include "bindings/operand_buffer.h"
#include "bindings/status_error.h"

namespace triode::python {

namespace py = pybind11;

Matmul::Matmul(std::shared_ptr<Device> device, const Problem& problem, const Config& config)
    : device_(std::move(device)),
      problem_(problem),
      artifact_(or_throw(device_->build(problem, config))) {}

void Matmul::run(const py::buffer& a, const py::buffer& b, const py::buffer& c, double alpha,
                 double beta) const {
  const py::buffer_info a_buffer = operand_buffer(problem_, OperandName::kA, a);
  const py::buffer_info b_buffer = operand_buffer(problem_, OperandName::kB, b);
  const py::buffer_info c_buffer = operand_buffer(problem_, OperandName::kC, c);
  const py::gil_scoped_release unlocked;
  or_throw(device_->run(*artifact_, {a_buffer.ptr, b_buffer.ptr, c_buffer.ptr, alpha, beta}));
}

void Matmul::run_at(uintptr_t a, uintptr_t b, uintptr_t c, double alpha, double beta) const {
  // NOLINTBEGIN(performance-no-int-to-ptr): torch tells addresses as numbers.
  const Operands operands{reinterpret_cast<const void*>(a), reinterpret_cast<const void*>(b),
                          reinterpret_cast<void*>(c), alpha, beta};
  // NOLINTEND(performance-no-int-to-ptr)
  const py::gil_scoped_release unlocked;
  or_throw(device_->run(*artifact_, operands));
}

}  // namespace triode::python
