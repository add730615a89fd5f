// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>

#include "core/config.h"
#include "core/device.h"

namespace triode::python {

// An artifact as Python sees it: together with the device that runs it, and the problem that its
// arrays are checked against. Immutable; may be run by many threads at once.
class Matmul {
 public:
  // Compiles. Throws a StatusError; does not need the interpreter's lock.
  Matmul(std::shared_ptr<Device> device, const Problem& problem, const Config& config);

  const Problem& problem() const { return problem_; }
  const Artifact& artifact() const { return *artifact_; }

  // Checks the arrays, then runs without the interpreter's lock. The arrays stay where they are
  // meanwhile, but c must not overlap a or b, and no other thread may write to the three.
  void run(const pybind11::buffer& a, const pybind11::buffer& b, const pybind11::buffer& c,
           double alpha, double beta) const;

  // The same for memory that the caller vouches for: addresses of operands that lie as the problem
  // says.
  void run_at(uintptr_t a, uintptr_t b, uintptr_t c, double alpha, double beta) const;

 private:
  std::shared_ptr<Device> device_;
  Problem problem_;
  std::unique_ptr<Artifact> artifact_;
};

}  // namespace triode::python
