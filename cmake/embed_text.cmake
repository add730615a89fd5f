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
  triode_embed_file(${target} "${file}" ${basename}_help.h help ${symbol})
endfunction()

# triode_embed_file(<target> <file> <header> <namespace> <symbol>)
#
# The same for any text: a header of that name, with the symbol in triode::<namespace>.
function(triode_embed_file target file name namespace symbol)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  set(header "${folder}/${name}")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" -DTEXT_FILE=${file} -DHEADER=${header} -DNAMESPACE=${namespace}
            -DSYMBOL=${symbol}
            -P "${TRIODE_EMBED_TEXT_SCRIPT}"
    DEPENDS "${file}" "${TRIODE_EMBED_TEXT_SCRIPT}"
    COMMENT "Embedding ${file} as ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
