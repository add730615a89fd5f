// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

namespace triode::host {

// Around a write to a stream of the program's: if nobody reads it any more, the write fails, and
// the signal that would come with it, which ends most programs, does not. For the calling thread
// alone; a signal that was pending before stays.
class PipeSignalBlock {
 public:
  PipeSignalBlock();
  PipeSignalBlock(const PipeSignalBlock&) = delete;
  PipeSignalBlock& operator=(const PipeSignalBlock&) = delete;
  ~PipeSignalBlock();

 private:
  sigset_t before_;
  bool was_pending_;
};

}  // namespace triode::host
