# SPDX-License-Identifier: Apache-2.0
# What the package's folder holds beside its Python files (pyproject.toml), where it is itself the prefix.
install(TARGETS _triode _promoted LIBRARY DESTINATION .)
install(FILES docs/cli/toolkit.md DESTINATION toolkit RENAME help.md)

# Copies of the launcher rather than links, which no wheel holds; it goes by its own name.
set(TRIODE_PACKAGES "$TRIODE_BIN/../..")
set(TRIODE_DEFAULT_PYTHON "$TRIODE_BIN/../../../../../bin/python")
set(launcher "${PROJECT_BINARY_DIR}/generated/triode-toolkit")
configure_file(tools/toolkit/triode-toolkit.in "${launcher}" @ONLY)
foreach(mode toolkit ${triode_toolkit_modes})
  install(PROGRAMS "${launcher}" DESTINATION bin RENAME triode-${mode})
endforeach()

if(TARGET triode_torch)
  install(TARGETS triode_torch LIBRARY DESTINATION lib FILE_SET HEADERS DESTINATION include)
  install(FILES "${PROJECT_BINARY_DIR}/python/triode/lib/libtriode_torch.version" DESTINATION lib)
  # The environment's torch, beside the package.
  set_target_properties(triode-train triode-eval PROPERTIES
    INSTALL_RPATH "$ORIGIN/../../torch/lib" INSTALL_RPATH_USE_LINK_PATH OFF)
endif()
