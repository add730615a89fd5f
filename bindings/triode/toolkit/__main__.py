# SPDX-License-Identifier: Apache-2.0
"""`python -m triode.toolkit MODE OPTIONS`: what the `triode-*` launchers start."""

import sys

from .commands import main

sys.exit(main(sys.argv[1:]))
