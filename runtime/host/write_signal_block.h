// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

namespace triode::host {

// Around a write of ours in a thread of the program's: if nobody reads the pipe any more, or the
// file would pass the limit on files, the write fails, and the signal that would come with it,
// which ends most programs, does not. For the calling thread alone; a signal that was pending
// before stays.
class WriteSignalBlock {
 public:
  WriteSignalBlock();
  WriteSignalBlock(const WriteSignalBlock&) = delete;
  WriteSignalBlock& operator=(const WriteSignalBlock&) = delete;
  ~WriteSignalBlock();

 private:
  sigset_t before_;  // the thread's mask
  sigset_t ours_;    // those of the two that were not pending yet
};

}  // namespace triode::host
