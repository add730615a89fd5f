# SPDX-License-Identifier: Apache-2.0
# triode::torch_cpu, the CPU half of the environment's torch, for C++.
#
# Not find_package(Torch): that links libtorch_cuda and NCCL too, and fails where the machine has an
# older NCCL of its own.

triode_find_in_venv(torch_library "torch/lib/libtorch_cpu.so")
cmake_path(GET torch_library PARENT_PATH torch_lib)
cmake_path(GET torch_lib PARENT_PATH torch_root)

# Which std::string its functions take, read off a symbol's name: torch itself says so in Python only,
# and importing it takes seconds.
file(STRINGS "${torch_lib}/libc10.so" torch_new_strings
     REGEX "^_ZN3c105ErrorC[0-9]E.*NSt7__cxx1112basic_string" LIMIT_COUNT 1)
add_library(triode_c10 SHARED IMPORTED)
set_target_properties(triode_c10 PROPERTIES IMPORTED_LOCATION "${torch_lib}/libc10.so")

add_library(triode_torch_cpu SHARED IMPORTED)
set_target_properties(triode_torch_cpu PROPERTIES IMPORTED_LOCATION "${torch_library}")
target_link_libraries(triode_torch_cpu INTERFACE triode_c10)
target_include_directories(triode_torch_cpu SYSTEM INTERFACE
  "${torch_root}/include" "${torch_root}/include/torch/csrc/api/include")
if(NOT torch_new_strings)
  target_compile_definitions(triode_torch_cpu INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
endif()
add_library(triode::torch_cpu ALIAS triode_torch_cpu)
