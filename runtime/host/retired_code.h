// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "runtime/host/executable.h"

namespace triode::host {

// Executables that no entry names any more, but that a thread may still run. Each is freed once no
// thread is busy with it.
//
// A caller writes what it is about to run into its ThreadRecord and then looks whether the entry
// still names it, with no fence in between: a fence would cost more than the rest of a hit. The one
// who frees makes up for it with a membarrier(2), which is a fence on every thread of the process;
// where the kernel has none, nothing is freed. Used by the background thread alone.
class RetiredCode {
 public:
  // Takes over an Executable that was just replaced in its entry.
  void add(const Executable* executable) { waiting_.emplace_back(executable); }

  // Frees what no thread is busy with.
  void free_unused();

  size_t size() const { return waiting_.size(); }

 private:
  std::vector<std::unique_ptr<const Executable>> waiting_;
};

}  // namespace triode::host
