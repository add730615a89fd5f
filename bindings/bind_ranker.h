// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace triode::python {

// Gpu, TemplateRanker and what it answers, and leave_timings().
void bind_ranker(pybind11::module_& module);

}  // namespace triode::python
