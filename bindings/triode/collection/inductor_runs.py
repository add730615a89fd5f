# SPDX-License-Identifier: Apache-2.0
"""Collects timings by letting torch.compile autotune one matmul after the other."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..types import TimedConfig
from .chunks import ChunkedDataset
from .matmul_collector import MatmulCollector, device_name
from .progress import Progress
from .shapes import Planned

SEARCH_SPACES = ("EXHAUSTIVE", "DEFAULT")
# Bytes of memory in use over those of the operands: results of several kernels are held at once.
MEMORY_FACTOR = 1.5


@dataclass
class RunOptions:
    """How to collect through Inductor."""

    device: str = "cpu"
    search_mode: str = "max-autotune-no-cudagraphs"  # torch.compile's mode
    search_space: str = "EXHAUSTIVE"
    chunk_size: int | None = None
    quiet: bool = False

    def __post_init__(self) -> None:
        if self.search_space not in SEARCH_SPACES:
            raise ValueError(f"search space {self.search_space!r}; there are {', '.join(SEARCH_SPACES)}")


@dataclass
class RunCounts:
    """What a collection did."""

    shapes: int = 0
    known: int = 0
    timings: int = 0
    failed_configs: int = 0
    skipped: int = 0  # shapes that do not fit the memory, or did not compile


def collect_through_inductor(planned: Sequence[Planned], output: str | Path, options: RunOptions) -> RunCounts:
    """Fills `output` with timings of the planned matmuls, going on where an earlier run was stopped."""
    import torch

    if options.device.startswith("cuda") and not torch.cuda.is_available():
        raise RuntimeError("there is no CUDA device here that torch can use; --device cpu collects on the CPU")
    files = ChunkedDataset(output, options.chunk_size)
    missing = files.missing(planned)
    counts = RunCounts(shapes=len(planned), known=len(planned) - len(missing))
    hardware = device_name(torch.device(options.device))
    progress = Progress(len(missing), options.quiet)
    try:
        for done, one in enumerate(missing):
            collector = MatmulCollector(hardware)
            _run(one, options, collector, counts)
            # Inductor may have rewritten the op; what was compiled is the one that was planned.
            timed = [TimedConfig(config=row.config, time=row.time) for row in collector.get_dataset().timings()]
            files.add(hardware, one, timed)
            counts.timings += len(timed)
            counts.failed_configs += collector.failed
            progress.show(done + 1, f"{done + 1} of {len(missing)} shapes")
    finally:
        files.close()
    progress.finish()
    return counts


def _run(planned: Planned, options: RunOptions, collector: MatmulCollector, counts: RunCounts) -> None:
    shape = planned.shape
    what = f"{planned.operation} {shape.B} x {shape.M}x{shape.N}x{shape.K} {shape.M_dtype}"
    needed = _bytes_needed(planned)
    free = _free_bytes(options.device)
    if needed > free:
        counts.skipped += 1
        print(f"{what}: left out, as it takes {needed / 2**30:.1f} GiB of {free / 2**30:.1f}", file=sys.stderr)
        return
    try:
        with collector:
            compile_and_run(planned, options)
    except Exception as error:
        counts.skipped += 1
        print(f"{what}: did not run: {type(error).__name__}: {error}", file=sys.stderr)


def compile_and_run(planned: Planned, options: RunOptions) -> None:
    """Lets torch.compile autotune one matmul and run it once."""
    import torch
    from torch._inductor import config

    *given, b = _operands(planned, options.device)
    is_cuda = options.device.startswith("cuda")
    # Each shape is compiled by itself; nothing is answered from an earlier run.
    torch._dynamo.reset()
    settings = {
        "force_disable_caches": True,
        "max_autotune_gemm_backends": "ATEN,TRITON" if is_cuda else "ATEN,CPP",
        "max_autotune_gemm_search_space": options.search_space,
        # Inductor's C++ kernels want the second operand to be a constant.
        "freezing": not is_cuda,
    }
    module = _matmul_module(planned.operation, b)
    with torch.no_grad(), config.patch(settings):
        torch.compile(module, mode=options.search_mode, dynamic=False)(*given)


def _matmul_module(operation: str, b: Any) -> Any:
    """A module that multiplies by `b`, which it owns."""
    import torch

    function: Callable[..., Any] = getattr(torch, operation)

    class Matmul(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.b = torch.nn.Parameter(b, requires_grad=False)

        def forward(self, *given: Any) -> Any:
            return function(*given, self.b)

    return Matmul().eval()


def _operands(planned: Planned, device: str) -> list[Any]:
    import torch

    shape = planned.shape
    batch = (shape.B,) if planned.operation == "bmm" else ()

    def filled(*sizes: int, dtype: Any) -> Any:
        if dtype.is_floating_point:
            return torch.randn(*sizes, device=device).to(dtype)
        return torch.randint(-8, 8, sizes, device=device).to(dtype)

    a = filled(*batch, shape.M, shape.K, dtype=shape.M_dtype.torch)
    b = filled(*batch, shape.K, shape.N, dtype=shape.K_dtype.torch)
    if planned.operation == "addmm":
        return [filled(shape.N, dtype=shape.out_dtype.torch), a, b]
    return [a, b]


def _bytes_needed(planned: Planned) -> float:
    shape = planned.shape
    elements = shape.B * (shape.M * shape.K + shape.K * shape.N + shape.M * shape.N)
    # At most eight bytes an element; operands are made as float32 first.
    width = max(4, shape.M_dtype.torch.itemsize, shape.out_dtype.torch.itemsize)
    return elements * width * MEMORY_FACTOR


def _free_bytes(device: str) -> float:
    if device.startswith("cuda"):
        import torch

        return float(torch.cuda.mem_get_info(device)[0])
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) * 1024
    return float("inf")
