// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/watched_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/runtime/temporary_folder.h"

namespace triode::tuner {
namespace {

namespace fs = std::filesystem;

TEST(WatchedFolder, HasVanishedOnceItIsRemovedOrAnother) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "store";
  fs::create_directory(path);
  const WatchedFolder watched(path.string());
  EXPECT_FALSE(watched.has_vanished());
  fs::rename(path, folder.path() / "moved");
  EXPECT_TRUE(watched.has_vanished());
  fs::create_directory(path);
  EXPECT_TRUE(watched.has_vanished());
}

TEST(WatchedFolder, HasNotVanishedIfItNeverWasThere) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "store";
  const WatchedFolder watched(path.string());
  fs::create_directory(path);
  EXPECT_FALSE(watched.has_vanished());
}

}  // namespace
}  // namespace triode::tuner
