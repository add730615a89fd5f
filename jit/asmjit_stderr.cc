// SPDX-License-Identifier: Apache-2.0
// What asmjit takes for stderr inside a shared object.
//
// Debian's libasmjit.a is compiled for programs (-fPIE). Its one reference to another library's
// variable, to stderr for a failed assertion, is of a kind that the linker refuses in a shared
// object. A variable of the object's own is accepted, and --wrap=stderr makes it this one.
#include <cstdio>

extern "C" {
extern FILE* __real_stderr;  // NOLINT(bugprone-reserved-identifier): the linker's name for it
extern FILE* __wrap_stderr;  // NOLINT(bugprone-reserved-identifier)
__attribute__((visibility("hidden"))) FILE* __wrap_stderr = __real_stderr;
}
