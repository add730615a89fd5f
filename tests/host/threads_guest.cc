// SPDX-License-Identifier: Apache-2.0
// Multiplies on threads of its own.
//   threads_guest short-lived    a hundred threads, one after the other, of seven calls each
//   threads_guest together       eight at once, of a thousand calls each
//   threads_guest small-stack    one with as little stack as there may be
//   threads_guest late           calls from the destructor of a thread's own data
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/host/guest_matmul.h"

namespace {

std::atomic<bool> is_right{true};

void multiply(int count) {
  guest::SquareMatmul matmul(5);
  for (int i = 0; i < count; ++i) matmul.run();
  if (!matmul.is_right()) is_right = false;
}

// Pages of address space in use.
long size_pages() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

void run_one_after_the_other(int threads) {
  for (int i = 0; i < threads; ++i) std::thread(multiply, 7).join();
}

void short_lived() {
  run_one_after_the_other(10);
  const long before = size_pages();
  run_one_after_the_other(90);
  guest::say("growth_kb", (size_pages() - before) * sysconf(_SC_PAGESIZE) / 1024);
}

void together() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(multiply, 1000);
  for (std::thread& thread : threads) thread.join();
}

void start_and_join(const pthread_attr_t* attributes, void* (*body)(void*), void* context) {
  pthread_t thread{};
  const bool is_started = pthread_create(&thread, attributes, body, context) == 0;
  guest::say("is_started", is_started);
  if (is_started) pthread_join(thread, nullptr);
}

void* multiply_on_thread(void* matmul) {
  for (int i = 0; i < 50; ++i) static_cast<guest::SquareMatmul*>(matmul)->run();
  return nullptr;
}

void small_stack() {
  guest::SquareMatmul matmul(64);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, static_cast<size_t>(sysconf(_SC_THREAD_STACK_MIN)));
  start_and_join(&attributes, multiply_on_thread, &matmul);
  pthread_attr_destroy(&attributes);
  is_right = matmul.is_right();
}

// The key is made before the thread's first call, so others' data may be destroyed before this.
void late() {
  static pthread_key_t key;
  pthread_key_create(&key, [](void* matmul) { multiply_on_thread(matmul); });
  guest::SquareMatmul matmul(96);
  const auto body = [](void* context) -> void* {
    pthread_setspecific(key, context);
    return multiply_on_thread(context);
  };
  start_and_join(nullptr, body, &matmul);
  is_right = matmul.is_right();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "short-lived") short_lived();
  if (what == "together") together();
  if (what == "small-stack") small_stack();
  if (what == "late") late();
  guest::say("is_right", is_right);
}
