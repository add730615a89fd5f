// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "runtime/host/raw_call.h"

namespace triode::host {

// A library whose functions are intercepted. Immutable, and lives until the process ends: plans
// name it by number.
struct Vendor {
  std::string identity;  // LoadedObject::identity()
  std::string path;      // file; empty for the program itself
  // Where it keeps how many threads its next call may use. Null: it has to be asked.
  const volatile int* thread_count = nullptr;
  int (*max_threads)() = nullptr;  // asks it
  // Not zero while the caller is one of a parallel region's threads, where it uses one. Null: it
  // does not care.
  int (*in_parallel)() = nullptr;
  bool has_wide_sizes = false;  // its plainly named functions take 64-bit sizes

  // Threads its next call from this thread may use, at least one. Nanoseconds; no lock.
  int thread_budget() const {
    if (in_parallel != nullptr && in_parallel() != 0) return 1;
    const int threads = max_threads != nullptr ? max_threads() : 1;
    if (threads < 1) return 1;
    return threads < call_traits::kMaxThreads ? threads : call_traits::kMaxThreads;
  }
};

// The number of the vendor that holds this function, known already or new; 0, the vendor that is
// none, if the function lies in no object or there are too many. Takes a lock.
uint16_t vendor_of_function(const void* function);

// By number. Any thread; no lock.
const Vendor& vendor(uint16_t number);

constexpr uint16_t kNoVendor = 0;

// The lock that vendor_of_function() takes, for the moment of a fork.
std::mutex& vendors_mutex();

}  // namespace triode::host
