# SPDX-License-Identifier: Apache-2.0
"""Files of trials of Triode's own CPU kernels, `.trials.gz`, as `triode collect --export` writes them."""

import gzip
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

from .._triode import Problem
from ..types.files import replace_file

TRIALS = ".trials.gz"
FIRST_LINE = "triode trials 1"


def problems_of(path: str | Path) -> list[Problem]:
    """What the trials of a file are of. ValueError if it is none."""
    return [Problem.parse(line.split("\t")[1]) for line in _lines(path) if line.startswith("problem\t")]


def keep_only(path: str | Path, shapes: Collection[str], output: str | Path) -> None:
    """Writes the trials of `shapes` ("mm f32 64x48x32 nn"), on any number of threads, to `output`: a cache may hold
    those of other collections, and of programs."""
    planned = set(shapes)
    kept: list[str] = []
    is_kept = True
    for line in _lines(path):
        if line.startswith("device\t"):
            is_kept = True
        elif line.startswith("problem\t"):
            is_kept = _is_one_of(Problem.parse(line.split("\t")[1]), planned)
        if is_kept:
            kept.append(line)
    # Without the time of day: equal trials give equal files.
    replace_file(Path(output), gzip.compress("".join(f"{line}\n" for line in kept).encode(), mtime=0))


def _is_one_of(problem: Problem, shapes: set[str]) -> bool:
    shape = f"{problem.op} {problem.a_type} {problem.m}x{problem.n}x{problem.k} nn"
    return shape in shapes and Problem.parse(f"{shape} threads={problem.threads}") == problem


def _lines(path: str | Path) -> Iterator[str]:
    try:
        lines = gzip.decompress(Path(path).read_bytes()).decode().splitlines()
    except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read as trials: {error}") from error
    if lines[:1] != [FIRST_LINE]:
        raise ValueError(f"{path} holds no trials")
    return iter(lines)
