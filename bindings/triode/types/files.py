# SPDX-License-Identifier: Apache-2.0
"""Files of records: which kind one holds, reading it, and writing it at once or not at all."""

import os
from pathlib import Path
from typing import Any, TypeVar

from .dataset import Dataset
from .matmul_shape import OperationShapeSet, ShapeSet
from .record import Record, _json, read_msgpack
from .table import Solution, Table

R = TypeVar("R", bound=Record)
SUFFIXES = (".json", ".msgpack")


def read_file(path: str | Path, kind: type[R]) -> R:
    """The record of a file, JSON or msgpack by its name. FileNotFoundError, or ValueError that says what the
    file is instead."""
    record = read_any_file(path)
    if not isinstance(record, kind):
        raise ValueError(f"{path} is a {type(record).__name__}, where a {kind.__name__} is expected")
    return record


def read_any_file(path: str | Path) -> Record:
    """The record of a file, of whichever kind it is."""
    data = _plain_values(Path(path))
    kind = kind_of(data)
    if kind is None:
        keys = ", ".join(map(str, data)) if isinstance(data, dict) else type(data).__name__
        raise ValueError(f"{path} is none of diode's files; it holds {keys}")
    try:
        return kind.from_dict(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write_file(path: str | Path, record: Record) -> None:
    """Writes JSON or msgpack by the file's name, at once or not at all."""
    path = Path(path)
    data = record.to_msgpack() if path.suffix == ".msgpack" else record.serialize().encode()
    replace_file(path, data)


def replace_file(path: Path, data: bytes) -> None:
    """Puts `data` in the file's place, at once or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def kind_of(data: Any) -> type[Record] | None:
    """Which record plain values are; None if it is none of them."""
    if not isinstance(data, dict):
        return None
    if "operations" in data:
        return OperationShapeSet
    if "shapes" in data:
        return ShapeSet
    if "config" in data:
        return Solution
    if "hardware" not in data:
        return None
    return Table if _first_solution(data) and "config" in _first_solution(data) else Dataset


def _first_solution(data: Any) -> Any:
    for name in ("hardware", "operation", "solution"):
        below = data.get(name) if isinstance(data, dict) else None
        data = next(iter(below.values()), None) if isinstance(below, dict) else None
    return data if isinstance(data, dict) else {}


def _plain_values(path: Path) -> Any:
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path} must end in .json or .msgpack, by which its format is told")
    data = path.read_bytes()
    if path.suffix == ".msgpack":
        return read_msgpack(data, str(path))
    try:
        return _json(data.decode(), str(path))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text: {error}") from error

