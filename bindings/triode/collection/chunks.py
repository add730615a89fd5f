# SPDX-License-Identifier: Apache-2.0
"""The files that a collection fills: one, or one for every so many shapes. What a killed collection had finished
is found again. Without torch."""

import os
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


# A file is written anew when this part of its shapes is not in it yet, so that writing it costs in proportion to what
# it holds. A smaller part keeps the file closer to what was timed.
REWRITTEN_PART = 1 / 8


class ChunkedDataset:
    """A Dataset on disk: `name.json`, or with `chunk_size` `name_1.json`, `name_2.json`, ... of so many shapes each.

    Every add() is on disk when it returns, whole: in the file, or in a journal beside it, which close(), or the next
    one to open the file, takes into it. A shape without timings is noted too, so that it is not tried again.
    ValueError if a file that is there is no Dataset.
    """

    def __init__(self, path: str | Path, chunk_size: int | None = None) -> None:
        if chunk_size is not None and chunk_size < 1:
            raise ValueError(f"a chunk of {chunk_size} shapes; it must have one at least")
        self._path = Path(path)
        self._chunk_size = chunk_size
        self._known: set[tuple[str, MMShape]] = set()
        self._number = 1
        self._open = Dataset()
        self._shapes = self._unwritten = 0  # of the open file
        for file in self.files():
            self._open, self._shapes = Dataset(), 0
            self._take(read_file(file, Dataset))
        if chunk_size is not None:
            self._number = max(1, len(self.files()))
        self._take_journal()
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
        one = Dataset(
            hardware={
                hardware: DatasetHardware(
                    operation={
                        planned.operation: DatasetOperation(
                            solution={planned.shape: DatasetSolution(timed_configs=timed)}
                        )
                    }
                )
            }
        )
        self._take(one)
        self._unwritten += 1
        if self._unwritten >= self._shapes * REWRITTEN_PART:
            self.close()
        else:
            self._note(one)

    def close(self) -> None:
        """Puts all into the file. More may be added."""
        if self._unwritten:
            write_file(self._file(), self._open)
        self._unwritten = 0
        self._journal().unlink(missing_ok=True)

    def _take(self, some: Dataset) -> None:
        for hardware, operation_name, shape, timed in some.solutions():
            device = self._open.hardware.setdefault(hardware, DatasetHardware())
            operation = device.operation.setdefault(operation_name, DatasetOperation())
            self._shapes += shape not in operation.solution
            operation.solution.setdefault(shape, DatasetSolution()).timed_configs.extend(timed)
            self._known.add((operation_name, shape))

    def _note(self, one: Dataset) -> None:
        with self._journal().open("ab") as journal:
            journal.write(f"{one}\n".encode())
            journal.flush()
            os.fsync(journal.fileno())

    def _take_journal(self) -> None:
        """What a killed collection left beside the open file."""
        if not self._journal().exists():
            return
        # A line that was cut off has no end.
        for line in self._journal().read_text().split("\n")[:-1]:
            one = Dataset.parse(line)
            # Those that are in the file were taken in, and the journal was about to go.
            if not any((operation, shape) in self._known for _, operation, shape, _ in one.solutions()):
                self._take(one)
                self._unwritten += 1
        self.close()

    def _start_chunk_if_full(self) -> None:
        if self._chunk_size is not None and self._shapes >= self._chunk_size:
            self.close()
            self._number += 1
            self._open = Dataset()
            self._shapes = 0

    def _file(self) -> Path:
        return self._path if self._chunk_size is None else self._chunk(self._number)

    def _journal(self) -> Path:
        file = self._file()
        return file.with_name(f"{file.name}.journal")

    def _chunk(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.stem}_{number}{self._path.suffix}")
