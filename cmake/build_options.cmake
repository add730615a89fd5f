# SPDX-License-Identifier: Apache-2.0
# What can be chosen at configure time, and what the choice defaults to on this machine.

# tools/setup makes the environment and passes its folder. Without one, whatever needs Python packages
# is left out and the rest still builds.
set(TRIODE_VENV "" CACHE PATH "Python environment made by tools/setup; empty: none")

# As a wheel, for the environment of the interpreter that asked for it.
if(SKBUILD AND NOT TRIODE_VENV)
  execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sys; print(sys.prefix, end='')"
    OUTPUT_VARIABLE TRIODE_VENV COMMAND_ERROR_IS_FATAL ANY)
endif()

set(TRIODE_SANITIZE "" CACHE STRING "Sanitizer: empty, address (with undefined) or thread")
set_property(CACHE TRIODE_SANITIZE PROPERTY STRINGS "" address thread)
if(NOT TRIODE_SANITIZE MATCHES "^(address|thread)?$")
  message(FATAL_ERROR "TRIODE_SANITIZE is '${TRIODE_SANITIZE}'; it must be empty, address or thread.")
endif()

option(TRIODE_BUILD_TESTS "Build the tests" ON)

# The folder of a package inside the environment, or empty. A glob, because its path holds the
# interpreter's version, which is the environment's own business.
function(triode_find_in_venv out relative_path)
  set(found "")
  if(TRIODE_VENV)
    file(GLOB found "${TRIODE_VENV}/lib/python3.*/site-packages/${relative_path}")
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# An option that defaults to whether its package is in the environment, and that refuses to be ON
# without it: a clear word here instead of a missing header later.
function(triode_option_from_venv name relative_path description)
  triode_find_in_venv(found "${relative_path}")
  set(default OFF)
  if(found)
    set(default ON)
  endif()
  option(${name} "${description}" ${default})
  if(${name} AND NOT found)
    message(FATAL_ERROR "${name} is ON, but TRIODE_VENV ('${TRIODE_VENV}') holds no ${relative_path}. "
                        "Run tools/setup without --no-torch, or configure with -D${name}=OFF.")
  endif()
endfunction()

triode_option_from_venv(TRIODE_WITH_CUDA "nvidia/cu*/include/cuda.h" "Build the cuda device")
if(TRIODE_WITH_CUDA)
  triode_find_in_venv(cuda_headers "nvidia/cu*/include/cuda.h")
  list(SORT cuda_headers COMPARE NATURAL ORDER DESCENDING)  # the newest CUDA, if there are several
  list(GET cuda_headers 0 cuda_header)
  cmake_path(GET cuda_header PARENT_PATH TRIODE_CUDA_INCLUDE)
endif()
triode_option_from_venv(TRIODE_WITH_TORCH "torch/lib/libtorch_cpu.so" "Build what needs libtorch")
if(SKBUILD)
  set(TRIODE_WITH_PYTHON ON)  # what is asked for; it brings its numpy
else()
  triode_option_from_venv(TRIODE_WITH_PYTHON "numpy/__init__.py" "Build the Python package")
endif()
