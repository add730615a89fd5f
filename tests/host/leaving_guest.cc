// SPDX-License-Identifier: Apache-2.0
// Leaves a call of its BLAS by another way than by returning, and multiplies on: kLater times, from
// a frame that lies no deeper.
//   leaving_guest exception    the BLAS throws
//   leaving_guest jump         a long jump
//   leaving_guest thread-end   the thread ends inside the call
#include <pthread.h>

#include <csetjmp>
#include <string>

#include "tests/host/guest_matmul.h"

extern "C" void do_inside_stand_in_call(void (*function)());

namespace {

constexpr int kLater = 5;
guest::SquareMatmul matmul(5);

// Not inlined, these: so that frames are as they are written.
[[gnu::noinline]] void make_call() {
  matmul.run();
}

bool later_call_is_right() {
  make_call();
  return matmul.is_right();
}

[[gnu::noinline]] bool leave_by_exception() {
  do_inside_stand_in_call([] { throw 17; });
  try {
    make_call();
  } catch (const int& thrown) {
    return thrown == 17;
  }
  return false;
}

[[gnu::noinline]] bool leave_by_jump() {
  static std::jmp_buf before;
  if (setjmp(before) != 0) return true;
  do_inside_stand_in_call([] { std::longjmp(before, 1); });
  make_call();
  return false;
}

bool leave_by_ending_the_thread() {
  do_inside_stand_in_call([] { pthread_exit(&matmul); });
  pthread_t thread{};
  const auto body = [](void*) -> void* {
    matmul.run();
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, body, nullptr) != 0) return false;
  void* result = nullptr;
  pthread_join(thread, &result);
  return result == &matmul;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "exception") guest::say("has_left", leave_by_exception());
  if (what == "jump") guest::say("has_left", leave_by_jump());
  if (what == "thread-end") guest::say("has_left", leave_by_ending_the_thread());
  bool is_right = true;
  for (int i = 0; i < kLater; ++i) is_right = later_call_is_right() && is_right;
  guest::say("is_right", is_right);
}
