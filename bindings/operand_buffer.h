// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include "core/problem.h"

namespace triode::python {

enum class OperandName : char { kA = 'a', kB = 'b', kC = 'c' };

// The memory of an array that lies just as the problem says this operand does, held until the
// result is destroyed. As the operand is stored: a transposed a is k x m. A bmm's has a dimension
// more, the batch. The stride of a dimension with fewer than two elements may be anything.
// Throws a StatusError that says what was expected; c must be writable. Needs the interpreter's
// lock.
pybind11::buffer_info operand_buffer(const Problem& problem, OperandName name,
                                     const pybind11::buffer& array);

}  // namespace triode::python
