# SPDX-License-Identifier: Apache-2.0
"""Triode's own programs, which do the measuring, training and judging."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


# Built where torch is there for it.
OF_TORCH = ("train", "eval")


class Failure(Exception):
    """A command could not do its work; the message says why and what to do."""


def program(name: str) -> str:
    """`triode-NAME`: of the folder TRIODE_BIN, which the launchers set, else of the package, its build or the
    interpreter, else in PATH."""
    here = Path(__file__)
    folders = [
        os.environ.get("TRIODE_BIN"),
        here.parents[1] / "bin",
        here.parents[3] / "bin",
        Path(sys.executable).parent,
    ]
    path = os.pathsep.join([*(str(folder) for folder in folders if folder), os.environ.get("PATH", "")])
    found = shutil.which(f"triode-{name}", path=path)
    if found is None:
        lacking = ", as torch was not there when Triode was built; install torch, then" if name in OF_TORCH else ";"
        raise Failure(
            f"there is no program triode-{name}{lacking} build Triode (tools/setup, or `pip install .` in its "
            "sources), or name its folder in TRIODE_BIN"
        )
    return found


def run(name: str, arguments: Sequence[object]) -> None:
    """Runs `triode-NAME` to its end, its progress on our stderr. Failure if it fails."""
    done = subprocess.run([program(name), *map(str, arguments)], stdout=subprocess.PIPE)
    _check(name, done.returncode)


def run_json(name: str, arguments: Sequence[object]) -> dict[str, Any]:
    """The same with `--json`: what it answered."""
    done = subprocess.run([program(name), *map(str, arguments), "--json"], stdout=subprocess.PIPE)
    _check(name, done.returncode)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _check(name: str, code: int) -> None:
    if code < 0:
        raise Failure(f"triode-{name} was ended by signal {-code}; the same command goes on where it was")
    if code != 0:
        raise Failure(f"triode-{name} failed, as it says above")
