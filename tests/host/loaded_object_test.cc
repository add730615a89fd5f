// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/loaded_object.h"

#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include <regex>

namespace triode::host {
namespace {

TEST(LoadedObject, OfAFunctionOfTheCLibraryIsTheCLibrary) {
  const auto object = object_at(reinterpret_cast<const void*>(&gnu_get_libc_version));
  ASSERT_TRUE(object.has_value());
  EXPECT_TRUE(std::regex_match(object->identity(), std::regex("libc\\.so\\.6 [0-9a-f]{40}")))
      << object->identity();
}

TEST(LoadedObject, OfTheProgramHasNoPath) {
  const auto object = object_at(reinterpret_cast<const void*>(&object_at));
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(object->path, "");
  EXPECT_EQ(object->identity().substr(0, 7), "program");
}

TEST(LoadedObject, OfHeapMemoryIsNone) {
  const int* const memory = new int;
  EXPECT_FALSE(object_at(memory).has_value());
  delete memory;
}

TEST(LoadedObject, IdentityHoldsNoBlanks) {
  const LoadedObject odd{"/some/lib odd\t.so", "12", nullptr};
  EXPECT_EQ(odd.identity(), "lib_odd_.so 12");
}

}  // namespace
}  // namespace triode::host
