# SPDX-License-Identifier: Apache-2.0
# Help texts are documents: docs/cli/<tool>.md is what `--help` prints, so that the two cannot differ.

set(TRIODE_EMBED_TEXT_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/write_embedded_text.cmake")

# triode_embed_text(<target> <file> <symbol>)
#
# Gives <target> a header "<basename of file>_help.h" which declares
#   namespace triode::help { inline constexpr std::string_view <symbol> = ...; }
# with the whole text of <file>. Written again whenever the file changes.
function(triode_embed_text target file symbol)
  get_filename_component(basename "${file}" NAME_WE)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  set(header "${folder}/${basename}_help.h")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" -DTEXT_FILE=${file} -DHEADER=${header} -DSYMBOL=${symbol}
            -P "${TRIODE_EMBED_TEXT_SCRIPT}"
    DEPENDS "${file}" "${TRIODE_EMBED_TEXT_SCRIPT}"
    COMMENT "Embedding ${basename} as ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
