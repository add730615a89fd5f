// SPDX-License-Identifier: Apache-2.0
#include "bindings/status_error.h"

#include <pybind11/pybind11.h>

namespace triode::python {
namespace {

PyObject* exception_for(StatusCode code) {
  switch (code) {
    case StatusCode::kInvalidArgument:
      return PyExc_ValueError;
    case StatusCode::kUnsupported:
      return PyExc_NotImplementedError;
    case StatusCode::kResourceExhausted:
      return PyExc_MemoryError;
    default:
      return PyExc_RuntimeError;
  }
}

}  // namespace

void register_status_errors() {
  // NOLINTNEXTLINE(performance-unnecessary-value-param): the type of a translator
  pybind11::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const StatusError& error) {
      PyErr_SetString(exception_for(error.status().code()), error.what());
    }
  });
}

}  // namespace triode::python
