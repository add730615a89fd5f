// SPDX-License-Identifier: Apache-2.0
// Loads libraries that multiply, each with a BLAS of its own, while it runs.
//   loading_guest both LIBRARY LIBRARY         both at once
//   loading_guest in-turn LIBRARY LIBRARY      one, closed, then the other, ten times over
//   loading_guest alternating LIBRARY          two call sites of one library in turns
//   loading_guest closed-early LIBRARY         closes it while calls are looked into
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "tests/host/guest_matmul.h"

namespace {

class User {
 public:
  explicit User(const char* path) : handle_(dlopen(path, RTLD_LAZY | RTLD_LOCAL)) {
    if (handle_ == nullptr) std::puts(dlerror());
  }
  bool multiplies() const { return call<bool>("user_multiplies"); }
  bool multiplies_long() const { return call<bool>("user_multiplies_long"); }
  long vendor_calls() const { return call<long>("user_vendor_calls"); }
  void close() { dlclose(handle_); }

 private:
  template <typename Answer>
  Answer call(const char* name) const {
    return reinterpret_cast<Answer (*)()>(dlsym(handle_, name))();
  }

  void* handle_;
};

int use_both(const char* first_path, const char* second_path) {
  const User first(first_path), second(second_path);
  guest::say("is_right", first.multiplies() && second.multiplies() && first.multiplies());
  guest::say("first_vendor_calls", first.vendor_calls());
  guest::say("second_vendor_calls", second.vendor_calls());
  return 0;
}

// A library that was closed and loaded again counts from zero.
int use_in_turn(const char* first_path, const char* second_path) {
  long least = 2, most = 2;
  bool is_right = true;
  for (int i = 0; i < 20; ++i) {
    User user(i % 2 == 0 ? first_path : second_path);
    is_right = user.multiplies() && is_right;
    least = std::min(least, user.vendor_calls());
    most = std::max(most, user.vendor_calls());
    user.close();
  }
  guest::say("is_right", is_right);
  guest::say("least_vendor_calls", least);
  guest::say("most_vendor_calls", most);
  return 0;
}

std::chrono::nanoseconds time_of_turns(const User& user, int count) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) user.multiplies();
  return std::chrono::steady_clock::now() - begin;
}

// The least of many times, which a busy machine does not change much.
int use_alternating(const char* path) {
  const User user(path);
  std::chrono::nanoseconds least = std::chrono::nanoseconds::max();
  for (int i = 0; i < 50; ++i) least = std::min(least, time_of_turns(user, 100));
  guest::say("ns_per_turn", least.count() / 100);
  return 0;
}

int close_early(const char* path) {
  User user(path);
  guest::say("is_right", user.multiplies_long());
  user.close();
  usleep(3'000'000);  // where a search, or the next figures for the tuner, would still call it
  guest::say("is_alive", 1);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 2 ? arguments[1] : "";
  if (what == "both") return use_both(arguments[2], arguments[3]);
  if (what == "in-turn") return use_in_turn(arguments[2], arguments[3]);
  if (what == "alternating") return use_alternating(arguments[2]);
  if (what == "closed-early") return close_early(arguments[2]);
  return 2;
}
