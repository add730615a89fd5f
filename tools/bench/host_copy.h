// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"
#include "tools/run/program_variables.h"

namespace triode::bench {

// A libtriode.so in this process whose cblas_sgemm is called by hand, since nothing is preloaded.
// Under another file name it is another library to the loader, with a state and settings of its
// own; so several modes can be measured side by side. Stays loaded until the process ends.
class HostCopy {
 public:
  // Loads the file and makes a first call, a product of 1x1x1: then it reads its settings from the
  // environment, and finds the BLAS of this process, which must be loaded already.
  // kNotFound if the file cannot be loaded, kUnsupported if it has no cblas_sgemm.
  static Result<HostCopy> open(const std::string& file);

  // Copies `library` to `copy`, which may be removed when this returns, and opens that with these
  // settings and no others. Changes the environment meanwhile, so no other thread may read it.
  static Result<HostCopy> make(const std::string& library, const std::string& copy,
                               const std::vector<run::Variable>& settings);

  void* cblas_sgemm() const { return cblas_sgemm_; }

 private:
  explicit HostCopy(void* cblas_sgemm) : cblas_sgemm_(cblas_sgemm) {}

  void* cblas_sgemm_;
};

}  // namespace triode::bench
