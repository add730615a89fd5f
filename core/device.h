// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "core/config.h"
#include "core/measurement.h"
#include "core/outcome.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"

namespace triode {

// Pointers and scalars of one call; shapes and strides are the Problem's.
struct Operands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  double alpha = 1;
  double beta = 0;
  const void* bias = nullptr;  // n elements of c's type, where the epilogue adds one
};

// Code for one config of one problem, ready to run on the device that built it. Immutable.
// Destroying it frees the code; no call may be under way then.
class Artifact {
 public:
  virtual ~Artifact() = default;
  virtual uint64_t digest() const = 0;    // of the code, so that a plan can name what was checked
  virtual size_t code_bytes() const = 0;  // size of the machine code
  virtual size_t workspace_bytes() const = 0;  // scratch memory one running call needs
};

struct TimingOptions {
  std::chrono::nanoseconds budget =
      std::chrono::milliseconds(50);  // wall time for one pair, at most
  double target_spread = 0.01;        // stop early once the ratio's spread is below this
  int min_rounds = 5;                 // rounds taken whatever the budget
  int max_rounds = 200;
  CacheState cache_state = CacheState::kWarm;
  // Asked between calls, on the timing thread; true ends the timing with kUnavailable, and is not
  // asked again. Empty: never.
  std::function<bool()> should_stop;
};

// The kernel a candidate has to beat: the BLAS the program linked, called with the same operands.
using VendorKernel = std::function<void(const Operands&)>;

// Something that can run matmuls in more than one way. Threads: every call may come from any
// thread, but time() wants the machine to itself. docs/guide/new-device.md shows how to add one.
class Device {
 public:
  virtual ~Device() = default;

  virtual const Target& target() const = 0;

  // The space of the problem; an error if this device cannot run it at all.
  virtual Result<Space> enumerate(const Problem& problem) const = 0;

  // Compiles. A config that is legal but does not compile is an error kUnsupported with the reason.
  virtual Result<std::unique_ptr<Artifact>> build(const Problem& problem, const Config& config) = 0;

  // Runs once, to the end. The operands must fit the problem the artifact was built for.
  virtual Status run(const Artifact& artifact, const Operands& operands) = 0;

  // Times the artifact and the vendor's kernel alternately on these operands. c is overwritten.
  // kUnavailable if it was stopped.
  virtual Result<PairMeasurement> time(const Artifact& artifact, const VendorKernel& vendor,
                                       const Operands& operands, const TimingOptions& options) = 0;
};

}  // namespace triode
