// SPDX-License-Identifier: Apache-2.0
// crowded_guest FOLDER COUNT: one thread loads libraries whose constructors multiply, under the
// loader's lock, while another makes the first calls of libraries that it has loaded.
//   FOLDER/eager<number>.so    multiplies when it is loaded
//   FOLDER/user<number>.so     multiplies when it is asked to
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/host/guest_matmul.h"

namespace {

void* load(const std::string& folder, const char* name, int number) {
  const std::string path = folder + '/' + name + std::to_string(number) + ".so";
  return dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
}

int load_eager_ones(const std::string& folder, int count) {
  int loaded = 0;
  for (int i = 0; i < count; ++i) {
    loaded += load(folder, "eager", i) != nullptr;
    usleep(static_cast<useconds_t>(i * 7 % 100));  // so that the two threads meet everywhere
  }
  return loaded;
}

int use_others(const std::string& folder, int count) {
  int right = 0;
  for (int i = 0; i < count; ++i) {
    void* const library = load(folder, "user", i);
    if (library == nullptr) continue;
    right += reinterpret_cast<bool (*)()>(dlsym(library, "user_multiplies"))();
  }
  return right;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::string folder = arguments[1];
  const int libraries = std::atoi(arguments[2]);
  int loaded = 0;
  std::thread loader([&] { loaded = load_eager_ones(folder, libraries); });
  const int right = use_others(folder, libraries);
  loader.join();
  guest::say("loaded", loaded);
  guest::say("right", right);
}
