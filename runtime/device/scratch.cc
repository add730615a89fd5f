// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/scratch.h"

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace triode {
namespace {

constexpr size_t kAlignment = 64;
// Grown in whole pages, so that a run of slightly larger problems does not allocate each time.
constexpr size_t kGranule = 64 << 10;

struct Scratch {
  void* memory = nullptr;
  size_t size_bytes = 0;
};

// Never destroyed, so that it can be used while a thread or the program is taken down: by a handler
// of exit(), which runs after the destructors of the main thread's objects.
constinit thread_local Scratch scratch;

// Frees the scratch when its thread ends. What is asked for after that is freed by nobody.
struct ScratchOwner {
  ~ScratchOwner() { std::free(std::exchange(scratch, {}).memory); }
};

thread_local ScratchOwner owner;

bool grow(size_t size_bytes) {
  if (size_bytes > SIZE_MAX - kGranule) return false;
  const size_t rounded = (size_bytes + kGranule - 1) / kGranule * kGranule;
  static_cast<void>(&owner);  // the first time, makes it
  std::free(scratch.memory);
  scratch.memory = std::aligned_alloc(kAlignment, rounded);
  scratch.size_bytes = scratch.memory == nullptr ? 0 : rounded;
  return scratch.memory != nullptr;
}

}  // namespace

void* thread_scratch(size_t size_bytes) {
  if (size_bytes > scratch.size_bytes && !grow(size_bytes)) return nullptr;
  return scratch.memory;
}

}  // namespace triode
