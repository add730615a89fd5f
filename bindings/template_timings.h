// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bindings/template_ranker.h"
#include "core/problem.h"
#include "core/status.h"
#include "core/target.h"

namespace triode::python {

// What torch.compile timed of one op.
struct TemplateTimings {
  struct Row {
    TemplateConfig config{};
    std::optional<double> ms;  // empty: it did not run
  };
  std::string gpu;        // its marketing name
  std::string toolchain;  // "torch 2.15.0 triton 3.9.0"
  Problem problem;
  std::vector<Row> rows;
  std::optional<double> vendor_ms;
  int64_t when_unix_s = 0;
};

// Leaves them in the spool of the cache in `folder` (as Settings::cache; empty: the user's own),
// which the next writer takes in. All or none. kInvalidArgument, naming it, for a time that is not
// finite and positive.
Status leave_timings(const TemplateTimings& timings, const std::string& folder);

// What torch.compile timed of a kernel of ours on the CPU.
struct CpuTiming {
  Target target;
  Problem problem;
  std::string config;  // in the words of its space
  double ms = 0;
  std::optional<double> vendor_ms;  // torch's own kernel
  int64_t when_unix_s = 0;
};

// The same for it.
Status leave_cpu_timing(const CpuTiming& timing, const std::string& folder);

}  // namespace triode::python
