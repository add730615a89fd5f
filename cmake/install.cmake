# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. The tree may be moved as a whole: nothing in it knows its prefix.
#
# bin, lib and include by name, not from GNUInstallDirs: `triode run` finds ../lib/libtriode.so from its
# own folder, and that module's lib is lib/x86_64-linux-gnu on Debian or lib64 on Fedora.
include(CMakePackageConfigHelpers)

set(package_folder lib/cmake/triode)

install(TARGETS triode triode-run triode-bench triode-cache triode-collect triode-doctor triode-explain triode-model triode-report triode-top triode-tuner
  RUNTIME DESTINATION bin)
install(TARGETS triode_parallel triode_tuner LIBRARY DESTINATION lib)
install(FILES learner/snapshots/cpu-x86.snapshot learner/snapshots/gpu.snapshot DESTINATION share/triode/snapshots)
# What Python processes of the tuner run.
install(DIRECTORY jit/cuda/triton/ DESTINATION share/triode/triton FILES_MATCHING PATTERN "*.py")
if(TARGET triode-train)
  # They find libtorch where the environment has it: nobody ships a second copy of that.
  set_target_properties(triode-train triode-eval PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS triode-train triode-eval RUNTIME DESTINATION bin)
endif()

# find_package(triode) and triode::triode.
set_target_properties(triode_host PROPERTIES EXPORT_NAME triode)
install(TARGETS triode_host EXPORT triodeTargets
  LIBRARY DESTINATION lib
  FILE_SET HEADERS DESTINATION include)
install(EXPORT triodeTargets NAMESPACE triode:: DESTINATION ${package_folder})
configure_package_config_file(cmake/triodeConfig.cmake.in generated/triodeConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(generated/triodeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/generated/triodeConfig.cmake"
  "${PROJECT_BINARY_DIR}/generated/triodeConfigVersion.cmake"
  DESTINATION ${package_folder})

# In a wheel, the Python package too.
if(SKBUILD)
  include(install_python)
endif()
