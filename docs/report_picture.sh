#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes docs/report.png, the head of a report: tunes docs/examples/matmul_mix.py into a cache of its own, and
# photographs the page. Needs a build, chromium, and a machine that is otherwise idle.
#
#   docs/report_picture.sh [SECONDS]    how long the program runs; default 50

set -euo pipefail
# shellcheck source=../tools/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/environment.sh"

triode=$triode_root/build/bin/triode
python=$(triode_venv "$(triode_python)" 1)/bin/python
[ -x "$python" ] || python=$(triode_venv "$(triode_python)" 0)/bin/python
folder=$(mktemp -d)
trap '"$triode" tuner stop --quiet --cache "$folder/demo"; rm -rf "$folder"' EXIT

export OPENBLAS_NUM_THREADS=1
cd "$folder"
"$triode" run --report --cache demo "$python" "$triode_root/docs/examples/matmul_mix.py" "${1:-50}"
"$triode" report --cache demo --output report.html
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir=browser \
  --virtual-time-budget=8000 --window-size=1100,1265 --force-device-scale-factor=1 \
  --screenshot="$triode_root/docs/report.png" "file://$folder/report.html"
