// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

namespace triode::tuner {

// A folder as it is when this is made. Any thread.
class WatchedFolder {
 public:
  explicit WatchedFolder(std::string path);

  // Whether it was removed since, or another one put in its place. False if there was none. A
  // system call.
  bool has_vanished() const;

 private:
  const std::string path_;
  bool was_there_ = false;
  dev_t device_ = 0;
  ino_t node_ = 0;
};

}  // namespace triode::tuner
