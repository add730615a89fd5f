# SPDX-License-Identifier: Apache-2.0
# How every target is compiled. Each links triode_build_flags PRIVATE; the rest are CMake's defaults,
# set once here.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# -O2, not CMake's -O3: the hot loops are emitted at run time, so -O3 only costs build time here.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

find_program(TRIODE_CCACHE ccache)
if(TRIODE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${TRIODE_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TRIODE_CCACHE}")
endif()

# No -march anywhere: a binary starts on any x86-64, and the emitters look at the processor themselves.
add_library(triode_build_flags INTERFACE)
target_include_directories(triode_build_flags INTERFACE
  "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
target_compile_options(triode_build_flags INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wpointer-arith
  -Wextra-semi -Wimplicit-fallthrough -Wundef -Wvla)

if(TRIODE_SANITIZE STREQUAL "address")
  set(triode_sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(TRIODE_SANITIZE STREQUAL "thread")
  set(triode_sanitizer_flags -fsanitize=thread)
endif()
if(triode_sanitizer_flags)
  # For every target rather than through triode_build_flags: one object without them hides a fault.
  add_compile_options(${triode_sanitizer_flags} -fno-omit-frame-pointer)
  add_link_options(${triode_sanitizer_flags})
  # GCC sees uninitialised members through its own instrumentation, in std::regex for one, and takes
  # msgpack's operator new for the global one; the sanitizer looks for both itself.
  target_compile_options(triode_build_flags INTERFACE -Wno-maybe-uninitialized -Wno-mismatched-new-delete)
endif()
