// SPDX-License-Identifier: Apache-2.0
// RocksDB's own tools (Debian's rocksdb-tools) on a cache of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "cache/cache.h"
#include "cache/maintenance.h"
#include "tests/cache/filled_cache.h"
#include "tests/cache/raw_database.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

bool has_tools() {
  return std::system("command -v ldb sst_dump >/dev/null 2>&1") == 0;
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), pclose);
  std::string output;
  std::array<char, 4096> buffer{};
  while (const size_t got = fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    output.append(buffer.data(), got);
  }
  return output;
}

class RocksdbToolsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_tools()) GTEST_SKIP() << "ldb and sst_dump are missing: install rocksdb-tools";
    cache = Cache::open(path, {}).take();
    for (int i = 0; i < 3; ++i) put_numbered(*cache, 0, 500);
    put_numbered(*cache, 500, 700);
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "cache";
  std::unique_ptr<Cache> cache;
};

TEST_F(RocksdbToolsTest, LdbCountsTheSameTrials) {
  cache.reset();
  EXPECT_THAT(output_of("ldb --db=" + path + " --column_family=measurements dump --count_only"),
              HasSubstr("Keys in range: 1700"));
}

TEST_F(RocksdbToolsTest, LdbCompactsWithoutChangingAnything) {
  cache.reset();
  EXPECT_THAT(output_of("ldb --db=" + path + " --column_family=measurements compact"),
              ::testing::Not(HasSubstr("Failed")));
  cache = Cache::open(path, {}).take();
  EXPECT_EQ(numbers_in(*cache).size(), 700u);
  EXPECT_EQ(cache->measurements().get(numbered_trial(7).key).take()->trials, 3);
  EXPECT_TRUE(verify(*cache).take().is_sound());
}

TEST_F(RocksdbToolsTest, SstDumpCountsTheSameTrials) {
  compact(*cache).take();
  cache.reset();
  const std::string table = files_ending(path, ".sst").front();
  EXPECT_THAT(output_of("sst_dump --file=" + table + " --show_properties --command=none"),
              HasSubstr("# entries: 700"));
}

}  // namespace
}  // namespace triode
