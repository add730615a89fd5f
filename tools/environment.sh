# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Where Triode keeps things on this machine, and how its presets are configured.
# Sourced by tools/setup, tools/test and tools/demo; defines names and runs nothing.

triode_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
triode_cache=${XDG_CACHE_HOME:-~/.cache}/triode  # ~ works without HOME too

# Shared by all clones on the machine. Paths are rewritten relative to the clone, so that a second
# clone finds what the first compiled.
export CCACHE_DIR=${CCACHE_DIR:-$triode_cache/ccache}
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$triode_root}
export CCACHE_NOHASHDIR=1
# Without these ccache passes by every file that uses a precompiled header.
export CCACHE_SLOPPINESS=pch_defines,time_macros

# say TEXT...: one progress line, unless --quiet.
say() { [ "${quiet:-0}" = 1 ] || printf '%s\n' "$*"; }

# fail TEXT...: what went wrong and what to do, then exit 1.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# wrong_usage TEXT...: exit 2, as every Triode command does.
wrong_usage() {
  printf '%s: %s; see %s --help\n' "$(basename "$0")" "$*" "$0" >&2
  exit 2
}

# Prints the comment block that heads the calling script: it is the help text.
print_header_as_help() { awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# The requirement file for `with_torch` (1 or 0).
triode_requirements() {
  if [ "$1" = 1 ]; then echo "$triode_root/tools/requirements.txt"; else echo "$triode_root/tools/requirements-base.txt"; fi
}

# The first python3 new enough for the pinned packages that can also make an environment; fails if none.
triode_python() {
  local candidate
  for candidate in "$(command -v python3 || true)" /usr/bin/python3; do
    if [ -x "$candidate" ] && "$candidate" -c '
import sys, venv, ensurepip
sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# Folder of the environment for a python and `with_torch`: one per content of the requirement files and
# interpreter version, so that a changed pin makes a new one and never alters one in use.
triode_venv() {
  local python=$1 with_torch=$2 files=("$triode_root/tools/requirements-base.txt") key
  [ "$with_torch" = 0 ] || files+=("$(triode_requirements 1)")
  key=$( (cat "${files[@]}" && "$python" -VV && uname -m) | sha256sum | cut -c1-16)
  echo "$triode_cache/venv-$key"
}

# configure_preset PRESET VENV [ARGUMENT...]: quick when nothing changed. The arguments go to CMake.
configure_preset() {
  local preset=$1 venv=$2 folder=$triode_root/build forget=()
  shift 2
  [ "$preset" = release ] || folder=$triode_root/build-$preset
  # The TRIODE_WITH_* options default to what the environment holds; another environment, other defaults.
  if ! grep -qsxF "TRIODE_VENV:PATH=$venv" "$folder/CMakeCache.txt"; then
    forget=(-U 'TRIODE_WITH_*')
  fi
  # Errors and warnings come on stderr; stdout says only that it is done.
  (cd "$triode_root" && cmake --preset "$preset" "${forget[@]}" "-DTRIODE_VENV:PATH=$venv" "$@" >/dev/null)
}
