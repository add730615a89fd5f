// SPDX-License-Identifier: Apache-2.0

// Read by the thread sanitizer at start; unused without it. The distribution's libtbb is not built
// with the sanitizer, which therefore does not see how a task reaches the worker that runs it, and
// takes oneTBB's own access to the task's fields for a race. "top": only where the access itself
// stands in a header of oneTBB; all our code in a worker is called from there, and must not be
// covered. "called_from_lib": what libtbb itself does to its memory through memcmp, new and the
// like, as when one thread makes an arena and another, told by an atomic in libtbb, looks into it.
// NOLINTBEGIN(bugprone-reserved-identifier): the name is the sanitizer's.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions();

extern "C" const char* __tsan_default_suppressions() {
  return "race_top:oneapi/tbb/\ncalled_from_lib:libtbb.so.12\n";
}
// NOLINTEND(bugprone-reserved-identifier)
