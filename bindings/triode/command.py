# SPDX-License-Identifier: Apache-2.0
"""The command `triode` of an environment that Triode was installed into."""

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program inside the package. What it starts in Python runs under this interpreter."""
    program = Path(__file__).parent / "bin" / "triode"
    os.environ.setdefault("TRIODE_PYTHON", sys.executable)
    os.execv(program, ["triode", *sys.argv[1:]])
