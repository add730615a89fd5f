// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/preload_startup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace triode::bench {
namespace {

using ::testing::ElementsAre;

TEST(LibrariesIn, NamesEachFileOnce) {
  const std::string maps =
      "00400000-00401000 r-xp 00000000 08:01 42  /usr/bin/python3.11\n"
      "7f0000000000-7f0000001000 r--p 00000000 08:01 43  /usr/lib/libm.so.6\n"
      "7f0000001000-7f0000002000 r-xp 00001000 08:01 43  /usr/lib/libm.so.6\n"
      "7f0000002000-7f0000003000 rw-p 00000000 00:00 0 \n"
      "7f0000003000-7f0000004000 r--p 00000000 08:01 44  /some folder/libc.so.6\n"
      "7fff00000000-7fff00001000 r-xp 00000000 00:00 0  [vdso]\n";
  EXPECT_THAT(libraries_in(maps), ElementsAre("/some folder/libc.so.6", "/usr/lib/libm.so.6"));
}

TEST(HeavyLibraries, AreThoseThatNoProgramShouldGetForNothing) {
  EXPECT_THAT(heavy_libraries({"/build/lib/libtriode.so", "/usr/lib/libtbb.so.12",
                               "/venv/libtorch_cpu.so", "/usr/lib/librocksdb.so.7",
                               "/usr/lib/libpython3.11.so.1.0", "/libtbb/libm.so.6"}),
              ElementsAre("/usr/lib/libtbb.so.12", "/venv/libtorch_cpu.so",
                          "/usr/lib/librocksdb.so.7", "/usr/lib/libpython3.11.so.1.0"));
}

}  // namespace
}  // namespace triode::bench
