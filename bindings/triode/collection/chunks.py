# SPDX-License-Identifier: Apache-2.0
"""The files that a collection fills: one, or one for every so many shapes. What a killed collection had finished
is found again. Without torch."""

from collections.abc import Iterable
from pathlib import Path

from ..types import (
    Dataset,
    DatasetHardware,
    DatasetOperation,
    DatasetSolution,
    MMShape,
    TimedConfig,
    read_file,
    write_file,
)
from .shapes import Planned


class ChunkedDataset:
    """A Dataset on disk: `name.json`, or with `chunk_size` `name_1.json`, `name_2.json`, ... of so many shapes each.

    Every add() is on disk when it returns, whole. A shape without timings is noted too, so that it is not tried
    again. ValueError if a file that is there is no Dataset.
    """

    def __init__(self, path: str | Path, chunk_size: int | None = None) -> None:
        if chunk_size is not None and chunk_size < 1:
            raise ValueError(f"a chunk of {chunk_size} shapes; it must have one at least")
        self._path = Path(path)
        self._chunk_size = chunk_size
        self._known: set[tuple[str, MMShape]] = set()
        self._number = 1
        self._open = Dataset()
        for file in self.files():
            self._open = read_file(file, Dataset)
            self._known.update((operation, shape) for _, operation, shape, _ in self._open.solutions())
        if chunk_size is not None:
            self._number = max(1, len(self.files()))
            self._start_chunk_if_full()

    def files(self) -> list[Path]:
        """Those that are there, in order."""
        if self._chunk_size is None:
            return [self._path] if self._path.exists() else []
        files: list[Path] = []
        while (file := self._chunk(len(files) + 1)).exists():
            files.append(file)
        return files

    def missing(self, planned: Iterable[Planned]) -> list[Planned]:
        """Those that are not there yet."""
        return [one for one in planned if (one.operation, one.shape) not in self._known]

    def add(self, hardware: str, planned: Planned, timed: list[TimedConfig]) -> None:
        """What was timed of a shape, which may be nothing."""
        self._start_chunk_if_full()
        device = self._open.hardware.setdefault(hardware, DatasetHardware())
        operation = device.operation.setdefault(planned.operation, DatasetOperation())
        operation.solution.setdefault(planned.shape, DatasetSolution()).timed_configs.extend(timed)
        self._known.add((planned.operation, planned.shape))
        write_file(self._path if self._chunk_size is None else self._chunk(self._number), self._open)

    def _start_chunk_if_full(self) -> None:
        shapes = sum(1 for _ in self._open.solutions())
        if self._chunk_size is not None and shapes >= self._chunk_size:
            self._number += 1
            self._open = Dataset()

    def _chunk(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.stem}_{number}{self._path.suffix}")
