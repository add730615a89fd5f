# SPDX-License-Identifier: Apache-2.0
"""Keeps what Inductor times while torch.compile autotunes matmuls.

    with triode.MatmulCollector() as collector:
        torch.compile(model, mode="max-autotune-no-cudagraphs")(x)
    collector.save_to_file("matmuls.json")
"""

import math
import re
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..types import Dataset, MMShape, Table, TritonGEMMConfig, read_file, write_file

if TYPE_CHECKING:
    from .inductor_runs import RunCounts
    from .shapes import Planned

# Ops that compute c = a b, by what they are kept as. The last is what Inductor makes on a CPU of an mm whose
# second operand is a constant.
COLLECTED = {"mm": "mm", "addmm": "addmm", "bmm": "bmm", "baddbmm": "baddbmm", "packed_linear": "mm"}


class MatmulCollector:
    """A feedback saver of Inductor that fills a Dataset. Times are milliseconds.

    hardware_name: what the timings stand under; None is the name of the device they were taken on.
    others: also keep kernels that are no Triton template (the vendor's, Inductor's C++), as a config that has
        their name and no tile. None: on a CPU alone, where there are no templates.

    Compilations may run on any thread. One that a collector cannot read is counted in `unread`, with the reason in
    `problems`, and never fails. Needs torch from start_collection() on.
    """

    def __init__(self, hardware_name: str | None = None, others: bool | None = None) -> None:
        self.hardware_name = hardware_name
        self.others = others
        self.unread = 0
        self.failed = 0  # configs that were tried and did not run
        self.problems: list[str] = []
        self._dataset = Dataset()
        self._lock = threading.Lock()
        self._is_collecting = False

    def start_collection(self) -> None:
        """From now on. RuntimeError if it has started."""
        if self._is_collecting:
            raise RuntimeError("this collector has started already")
        _select_algorithm().add_feedback_saver(self._keep)
        self._is_collecting = True

    def stop_collection(self) -> None:
        """No longer; other savers stay. RuntimeError if it was not started."""
        if not self._is_collecting:
            raise RuntimeError("this collector was not started")
        savers = _select_algorithm().get_algorithm_selector_cache().feedback_saver_fns
        if self._keep in savers:
            savers.remove(self._keep)
        self._is_collecting = False

    def __enter__(self) -> "MatmulCollector":
        self.start_collection()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop_collection()

    def collect(
        self,
        planned: "Sequence[Planned]",
        output: str | Path,
        chunk_size: int | None = None,
        device: str = "cpu",
        search_space: str = "EXHAUSTIVE",
        quiet: bool = False,
    ) -> "RunCounts":
        """Lets torch.compile time matmuls, one after the other, into files, going on where an earlier run was
        stopped; with `chunk_size` a file for every so many. Afterwards the dataset holds what is in them."""
        from .chunks import ChunkedDataset
        from .inductor_runs import RunOptions, collect_through_inductor

        options = RunOptions(device=device, search_space=search_space, chunk_size=chunk_size, quiet=quiet)
        counts = collect_through_inductor(planned, output, options)
        merged = Dataset()
        for file in ChunkedDataset(output, chunk_size).files():
            merged.update(read_file(file, Dataset))
        with self._lock:
            self._dataset = merged
        return counts

    @property
    def is_collecting(self) -> bool:
        return self._is_collecting

    def get_dataset(self) -> Dataset:
        return self._dataset

    def get_table(self) -> Table:
        """The configs of each shape, fastest first."""
        with self._lock:
            return self._dataset.to_table()

    to_table = get_table

    def save_to_file(self, path: str | Path) -> None:
        """JSON or msgpack by the file's name, at once or not at all."""
        with self._lock:
            write_file(path, self._dataset)

    def load_from_file(self, path: str | Path) -> None:
        """Goes on from a file, in place of what was collected. Raises, and changes nothing, if it is none."""
        loaded = read_file(path, Dataset)
        with self._lock:
            self._dataset = loaded

    def save_table_to_file(self, path: str | Path) -> None:
        write_file(path, self.get_table())

    # Torch passes five arguments or, since 2.10 or so, six.
    def _keep(self, timings: Any, name: str, input_nodes: Any, choices: Any, *rest: Any) -> None:
        if name not in COLLECTED:
            return
        try:
            self._add(timings, name, input_nodes)
        except Exception as error:
            with self._lock:
                self.unread += 1
                self.problems.append(f"{name}: {type(error).__name__}: {error}")
            warnings.warn(f"triode could not collect the timings of {name}: {error}", stacklevel=2)

    def _add(self, timings: Any, name: str, input_nodes: Any) -> None:
        told = [(choice, choice.annotations.get("ktc"), time_ms) for choice, time_ms in timings.items()]
        first = next((ktc for _, ktc, _ in told if ktc is not None), None)
        device = input_nodes[0].get_device() if first is None else first.inputs.device()
        shape = _shape_of_linear(input_nodes) if first is None else shape_of(first)
        operation = COLLECTED[name]
        keeps_others = device.type == "cpu" if self.others is None else self.others
        rows = [
            (config, time_ms)
            for choice, ktc, time_ms in told
            if (config := _config_of(choice, ktc, operation, keeps_others)) is not None
        ]
        hardware = self.hardware_name or device_name(device)
        with self._lock:
            for config, time_ms in rows:
                if math.isfinite(time_ms) and time_ms > 0:
                    self._dataset.add_timing(hardware, operation, shape, config, float(time_ms))
                else:
                    self.failed += 1


def shape_of(ktc: Any) -> MMShape:
    """The shape of a template's choice: sizes that vary by their hint, the result as it will lie in memory."""
    inputs = ktc.inputs
    m, n, k = (int(size) for size in inputs.mnk_hinted())
    batch = int(inputs.batch_hinted())
    a, b = inputs.mat1mat2()
    return MMShape(
        B=batch,
        M=m,
        M_dtype=a.get_dtype(),
        N=n,
        K=k,
        K_dtype=b.get_dtype(),
        out_dtype=inputs.out_dtype(),
        out_size=(batch, m, n),
        out_stride=_result_strides(ktc, m, n),
    )


def _shape_of_linear(nodes: Any) -> MMShape:
    """Of a packed linear layer: a, the packed weights, and the weights as they were, n x k."""
    if len(nodes) < 3:
        raise ValueError(f"no choice says what it was made from, and {len(nodes)} inputs do not either")
    (m, k), (n, _) = nodes[0].get_size(), nodes[2].get_size()
    return MMShape.plain(int(m), int(n), int(k), nodes[0].get_dtype())


def device_name(device: Any) -> str:
    """What the device calls itself."""
    if device.type == "cuda":
        import torch

        return torch.cuda.get_device_name(device)
    return cpu_name()


def cpu_name() -> str:
    """Of this machine, as the system says; "cpu" if it does not."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return "cpu"
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else "cpu"


def _select_algorithm() -> Any:
    try:
        from torch._inductor import select_algorithm
    except ImportError as missing:
        raise ImportError("collecting what torch.compile times needs torch") from missing
    for needed in ("add_feedback_saver", "get_algorithm_selector_cache"):
        if not hasattr(select_algorithm, needed):
            raise RuntimeError(f"this torch's Inductor has no {needed}; Triode knows it from torch 2.9 on")
    return select_algorithm


def _config_of(choice: Any, ktc: Any, name: str, keeps_others: bool) -> TritonGEMMConfig | None:
    if ktc is not None:
        try:
            return TritonGEMMConfig.of_template(f"{name}_config", {**ktc.extra_kwargs, **ktc.params.to_kwargs()})
        except KeyError:
            pass  # no template with a tile
    if not keeps_others:
        return None
    # Names end in a running number.
    kernel = re.sub(r"_\d+$", "", str(choice.name))
    return TritonGEMMConfig(
        name=kernel, grid=1, block_m=0, block_n=0, block_k=0, group_m=0, num_stages=0, num_warps=0
    )


def _result_strides(ktc: Any, m: int, n: int) -> tuple[int, int, int]:
    strides = getattr(ktc.layout, "stride", None) or ()
    if strides and all(isinstance(stride, int) or getattr(stride, "is_number", False) for stride in strides):
        *batch, down, across = (int(stride) for stride in strides)
        return (batch[-1] if batch else max(m * down, n * across), down, across)
    return (m * n, n, 1)
