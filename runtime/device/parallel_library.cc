// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/parallel_library.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <string>

#include "runtime/device/own_libraries.h"
#include "runtime/parallel/triode_parallel.h"

namespace triode {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "libtriode_parallel.so";

using RunFunction = decltype(&triode_parallel_run);
using VersionFunction = decltype(&triode_parallel_version);

struct Library {
  RunFunction run = nullptr;
};

// Set in a child that was forked after the library was loaded, and never cleared: oneTBB's threads
// did not come along, and it cannot be told.
std::atomic<bool> workers_are_lost{false};

void note_forked_child() {
  workers_are_lost.store(true, std::memory_order_relaxed);
}

void watch_for_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, note_forked_child);
  static_cast<void>(
      registered);  // fails only without memory: then the caller does all parts itself
}

Result<Library> open_library(const fs::path& path) {
  // RTLD_NODELETE: worker threads may be in its code at any time, so it must never be unmapped.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return not_found(last_loader_error());
  const auto version = reinterpret_cast<VersionFunction>(dlsym(library, "triode_parallel_version"));
  const auto run = reinterpret_cast<RunFunction>(dlsym(library, "triode_parallel_run"));
  if (version == nullptr || run == nullptr) {
    return not_found(path.string() + ": not a Triode library: " + last_loader_error());
  }
  if (version() != TRIODE_PARALLEL_VERSION) {
    return unsupported(path.string() + ": version " + std::to_string(version()) +
                       " of the interface, but " + std::to_string(TRIODE_PARALLEL_VERSION) +
                       " is needed");
  }
  return Library{run};
}

ParallelFor loop_of(RunFunction run) {
  return [run](int parts, ParallelBody body, void* context) {
    if (workers_are_lost.load(std::memory_order_relaxed)) {
      run_in_order(parts, body, context);
    } else {
      run(parts, body, context);
    }
  };
}

Result<Library> find_library(std::span<const fs::path> candidates) {
  std::string failures;
  for (const fs::path& candidate : candidates) {
    Result<Library> library = open_library(candidate);
    if (library.ok()) {
      watch_for_forks();
      return library;
    }
    failures += "\n  " + library.status().message();
  }
  return unsupported(
      "Threaded configs need " + std::string(kFileName) +
      ", which could not be loaded. Install it beside the Triode library, and oneTBB "
      "(package libtbb12) with it; or use one thread. Tried:" +
      failures);
}

}  // namespace

std::vector<fs::path> parallel_library_candidates() {
  return places_of_library(kFileName);
}

Result<ParallelFor> load_parallel_library(std::span<const fs::path> candidates) {
  return loop_of(TRIODE_TRY(find_library(candidates)).run);
}

Result<ParallelFor> parallel_library() {
  // Two threads may both look at first: the loader gives both the same library.
  static std::atomic<RunFunction> found{nullptr};
  RunFunction run = found.load(std::memory_order_acquire);
  if (run == nullptr) {
    run = TRIODE_TRY(find_library(parallel_library_candidates())).run;
    found.store(run, std::memory_order_release);
  }
  return loop_of(run);
}

}  // namespace triode
