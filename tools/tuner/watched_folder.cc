// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/watched_folder.h"

#include <sys/stat.h>

#include <utility>

namespace triode::tuner {

WatchedFolder::WatchedFolder(std::string path) : path_(std::move(path)) {
  struct stat now {};
  was_there_ = ::stat(path_.c_str(), &now) == 0;
  device_ = now.st_dev;
  node_ = now.st_ino;
}

bool WatchedFolder::has_vanished() const {
  struct stat now {};
  if (!was_there_) return false;
  if (::stat(path_.c_str(), &now) != 0) return true;
  return now.st_dev != device_ || now.st_ino != node_;
}

}  // namespace triode::tuner
