#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_whole.sh PROGRAM [ARGUMENT...]: runs a GoogleTest program in one process. Passes if the program did,
# after it came to the end of its tests, and if there was one: a filter or a shard that selects nothing,
# and a test that calls exit(0), fail too.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" | tee "$log"
code=${PIPESTATUS[0]}
if [ "$code" = 0 ] && ! grep -aqE '^\[==========\] [1-9][0-9]* tests? from .* ran\.' "$log"; then
  echo "$1 ended with 0, but before the end of its tests, or it had none" >&2
  code=1
fi
exit "$code"
