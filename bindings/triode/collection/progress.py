# SPDX-License-Identifier: Apache-2.0
"""One line on a terminal that tells how far long work is and when it will be done; in a file, one now and then."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

TERMINAL_PAUSE_S = 0.2
FILE_PAUSE_S = 15.0


class Progress:
    """Counts up to `total`. Says nothing if `quiet`."""

    def __init__(
        self,
        total: int,
        quiet: bool = False,
        out: TextIO | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total = total
        self._out = None if quiet else out or sys.stderr
        self._now = now
        self._start = self._shown = now()
        self._is_terminal = self._out is not None and self._out.isatty()

    def show(self, done: int, what: str) -> None:
        """`done` counts what was done since the start; the rest takes as long for each."""
        now = self._now()
        pause = TERMINAL_PAUSE_S if self._is_terminal else FILE_PAUSE_S
        if self._out is None or done < 1 or (now - self._shown < pause and done < self._total):
            return
        self._shown = now
        left = clock_text((now - self._start) / done * (self._total - done))
        text = f"{done / self._total:4.0%} {what}, {left} left"
        self._out.write(f"\r\x1b[K{text}" if self._is_terminal else f"{text}\n")
        self._out.flush()

    def finish(self) -> None:
        if self._out is not None and self._is_terminal:
            self._out.write("\r\x1b[K")
            self._out.flush()


def clock_text(seconds: float) -> str:
    """ "1:05" or "1:02:03"."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
