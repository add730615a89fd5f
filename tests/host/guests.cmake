# SPDX-License-Identifier: Apache-2.0
# The guests, what they link, and the tests that run them.
set(guest_folder "${PROJECT_BINARY_DIR}/tests/guests")

# triode_add_guest(<name> [<library>...]): the program <name> from <name>.cc.
function(triode_add_guest name)
  add_executable(${name} ${name}.cc)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${guest_folder}")
  target_link_libraries(${name} PRIVATE triode_build_flags Threads::Threads ${CMAKE_DL_LIBS} ${ARGN})
endfunction()

# triode_add_guest_library(<name> SOURCES <file>... [LIBS <library>...])
function(triode_add_guest_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_library(${name} SHARED ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${guest_folder}")
  target_link_libraries(${name} PRIVATE triode_build_flags ${arg_LIBS})
endfunction()

foreach(guest awkward descriptors drifting exiting forking inexact leaving limited locale quiet repeating signals threads trapping tuned)
  triode_add_guest(${guest}_guest stand_in_blas)
endforeach()
foreach(guest crowded loading lone)
  triode_add_guest(${guest}_guest)
endforeach()

triode_add_guest_library(recording_blas SOURCES recording_blas.cc)
triode_add_guest(recorded_guest recording_blas)
triode_add_guest_library(recording_blas64 SOURCES recording_blas64.cc)
triode_add_guest(recorded64_guest recording_blas64)
triode_add_guest_library(recursive_blas SOURCES recursive_blas.cc)
triode_add_guest(recursive_guest recursive_blas)
triode_add_guest_library(blas_user SOURCES blas_user.cc LIBS stand_in_blas)
triode_add_guest_library(other_blas_user SOURCES blas_user.cc LIBS other_stand_in_blas)
triode_add_guest_library(threaded_user SOURCES blas_user.cc LIBS threaded_stand_in_blas)
# With the BLAS inside.
triode_add_guest_library(whole_user SOURCES blas_user.cc stand_in_blas.cc)
triode_add_guest_library(eager_user SOURCES blas_user.cc stand_in_blas.cc eager_user.cc)

set(environment
  PYTHONDONTWRITEBYTECODE=1
  TRIODE_RUN=$<TARGET_FILE:triode-run>
  TRIODE_LIBRARY=$<TARGET_FILE:triode_host>
  TRIODE_GUESTS=${guest_folder}
  TRIODE_STAND_IN_BLAS=$<TARGET_FILE:stand_in_blas>)

# triode_add_guest_tests(<label> <subject>...): the tests of <subject>_test.py, together one of ctest.
function(triode_add_guest_tests label)
  foreach(subject IN LISTS ARGN)
    add_test(NAME host_${subject} COMMAND Python3::Interpreter
             "${CMAKE_CURRENT_SOURCE_DIR}/${subject}_test.py")
    set_tests_properties(host_${subject} PROPERTIES
      LABELS ${label} TIMEOUT 300 ENVIRONMENT "${environment}")
  endforeach()
endfunction()

triode_add_guest_tests(unit answers library_file originals)
# These wait for searches.
triode_add_guest_tests(stress exit frozen kept processes quiet signals threads)

# On the virtual GPU.
if(TRIODE_WITH_CUDA)
  triode_add_guest(cublas_guest
    triode_virtual_driver triode_stand_in_cublas triode_stand_in_cublas_lt)
  target_include_directories(cublas_guest SYSTEM PRIVATE "${TRIODE_CUDA_INCLUDE}")
  list(APPEND environment TRIODE_VGPU=${PROJECT_BINARY_DIR}/tests/virtual_gpu)
  triode_add_guest_tests(stress gpu)
  # Some dozen searches, one after another.
  set_tests_properties(host_gpu PROPERTIES TIMEOUT 600)
endif()
