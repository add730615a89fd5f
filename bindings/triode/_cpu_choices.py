# SPDX-License-Identifier: Apache-2.0
"""Triode's kernels for the CPU as choices of torch.compile: Inductor times the one that the model would choose
beside torch's own, and takes the faster. Compiled code calls them as extern_kernels.triode_mm and so on."""

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from ._cpu_checks import is_right
from ._models import load_chooser
from ._template_problem import Untold, stored
from ._triode import Artifact, CpuChooser, CpuDevice, Problem

PREFIX = "triode_"
DTYPES = {"torch.float32": ("f32", 4), "torch.float64": ("f64", 8)}
LINE_BYTES = 64


class WrongKernel(Untold):
    """A kernel of ours computes something else than torch does; the message says which."""


@dataclass(frozen=True)
class CpuKernel:
    """A kernel that was chosen for a problem, built and tried."""

    problem: Problem
    config: str
    artifact: Artifact
    is_right: bool


class CpuKernels:
    """The kernels that a model chose so far, by what decides them. Any thread may ask. One kernel is built for each
    problem, while others are looked up and built."""

    def __init__(self, chooser: CpuChooser) -> None:
        self.device = CpuDevice()
        self.chooser = chooser
        # Of each kind of call the kernel, or None where torch's own is to answer.
        self.calls: dict[Any, CpuKernel | None] = {}
        self._lock = threading.Lock()
        self._kernels: dict[Problem, Future[CpuKernel]] = {}

    def find(self, problem: Problem) -> CpuKernel:
        """NotImplementedError for a problem that the device cannot run, WrongKernel if the result is wrong."""
        mine: Future[CpuKernel] = Future()
        with self._lock:
            first = self._kernels.setdefault(problem, mine)
        if first is mine:
            self._fulfil(mine, problem)
        kernel = first.result()
        if not kernel.is_right:
            raise WrongKernel(f"{kernel.config} for {problem} does not give torch's result")
        return kernel

    def _fulfil(self, building: "Future[CpuKernel]", problem: Problem) -> None:
        """What fails fails for those who wait too, and is tried again by the next who asks."""
        try:
            building.set_result(self._build(problem))
        except BaseException as error:
            with self._lock:
                del self._kernels[problem]
            building.set_exception(error)

    def _build(self, problem: Problem) -> CpuKernel:
        config = self.chooser.choose(self.device, problem)
        text = self.device.space(problem).to_string(config)
        artifact = self.device.build(problem, config)
        return CpuKernel(problem, text, artifact, is_right(problem, artifact))


_kernels: CpuKernels | None = None
_creation = threading.Lock()


def kernels() -> CpuKernels:
    """Those of this process; by the model in force in the user's cache, if nothing was installed before code that
    another process compiled is run."""
    with _creation:
        return _kernels or _use(load_chooser("")[0])


def kernels_of(chooser: CpuChooser) -> CpuKernels:
    """From now on those of this process. Another model chooses anew, also for code that is compiled already."""
    with _creation:
        is_same = _kernels is not None and _kernels.chooser.digest == chooser.digest
        return _kernels if _kernels is not None and is_same else _use(chooser)


def _use(chooser: CpuChooser) -> CpuKernels:
    global _kernels
    _kernels = CpuKernels(chooser)
    return _kernels


def problem_text(
    dtype: str,
    shapes: tuple[Any, Any],
    strides: tuple[Any, Any, Any],
    alignment: int,
    alpha: float,
    beta: float,
    threads: int,
) -> str:
    """The matmul of two matrices, or batches of them, into a third, in Triode's words; Untold if it has none."""
    if dtype not in DTYPES:
        raise Untold(f"operands of type {dtype}")
    (*batch, m, k), n = shapes[0], shapes[1][-1]
    if 0 in (*batch, m, n, k):
        raise Untold("nothing to multiply")
    a_transposed, lda = stored(strides[0], k, m)
    b_transposed, ldb = stored(strides[1], n, k)
    c_transposed, ldc = stored(strides[2], n, m)
    if c_transposed:
        raise Untold("a result by columns")
    sizes = "x".join(map(str, (*batch, m, n, k)))
    apart = f" strides={strides[0][0]},{strides[1][0]},{strides[2][0]}" if batch else ""
    return (
        f"{'bmm' if batch else 'mm'} {DTYPES[dtype][0]} {sizes} {'nt'[a_transposed]}{'nt'[b_transposed]} "
        f"ld={lda},{ldb},{ldc}{apart} align={alignment} alpha={_word(alpha, False)} beta={_word(beta, True)} "
        f"threads={threads}"
    )


def _word(scalar: float, may_be_zero: bool) -> str:
    if scalar == 1:
        return "1"
    return "0" if may_be_zero and scalar == 0 else "other"


class _Calls:
    """What compiled code calls."""

    def multiply(self, a: Any, b: Any, out: Any, alpha: float, beta: float) -> bool:
        import torch

        addresses = (a.data_ptr(), b.data_ptr(), out.data_ptr())
        is_at_lines = not (addresses[0] | addresses[1] | addresses[2]) % LINE_BYTES
        strides = (a.stride(), b.stride(), out.stride())
        key = (a.dtype, a.shape, b.shape, strides, is_at_lines, alpha, beta, torch.get_num_threads())
        chosen = _kernels or kernels()
        try:
            kernel = chosen.calls[key]
        except KeyError:
            kernel = chosen.calls[key] = self._find(chosen, a, b, strides, is_at_lines, alpha, beta)
        if kernel is None:
            return False
        kernel.artifact.run_at(*addresses, alpha, beta)
        return True

    @staticmethod
    def _find(
        chosen: CpuKernels, a: Any, b: Any, strides: Any, is_at_lines: bool, alpha: float, beta: float
    ) -> CpuKernel | None:
        import torch

        dtype = str(a.dtype)
        alignment = LINE_BYTES if is_at_lines else DTYPES.get(dtype, ("", 0))[1]
        try:
            shapes = (tuple(a.shape), tuple(b.shape))
            text = problem_text(dtype, shapes, strides, alignment, alpha, beta, torch.get_num_threads())
            return chosen.find(Problem.parse(text))
        except (Untold, ValueError, NotImplementedError):
            return None


_calls = _Calls()


def triode_mm(a: Any, b: Any, *, out: Any) -> Any:
    if not _calls.multiply(a, b, out, 1, 0):
        import torch

        torch.mm(a, b, out=out)
    return out


def triode_bmm(a: Any, b: Any, *, out: Any) -> Any:
    if not _calls.multiply(a, b, out, 1, 0):
        import torch

        torch.bmm(a, b, out=out)
    return out


def triode_addmm(addend: Any, a: Any, b: Any, *, alpha: float = 1, beta: float = 1, out: Any) -> Any:
    if beta != 0:
        out.copy_(addend)
    if not _calls.multiply(a, b, out, alpha, beta):
        import torch

        torch.addmm(addend, a, b, alpha=alpha, beta=beta, out=out)
    return out


_FUNCTIONS = {"mm": triode_mm, "addmm": triode_addmm, "bmm": triode_bmm}


class CpuChoices:
    """Adds them to Inductor's choices."""

    def __init__(self, cache: str) -> None:
        chooser, self.model_from = load_chooser(cache)
        self.kernels = kernels_of(chooser)
        self._templates = {op: _template(op) for op in _FUNCTIONS}

    def choice(self, vendor: Any, inputs: Any, op_name: str) -> tuple[Any, CpuKernel]:
        """One of ours that does what the vendor's does, and the kernel that it runs. Untold says why there is none."""
        if op_name not in self._templates:
            raise Untold(f"no kernels for {op_name} on the CPU")
        if any(not isinstance(size, int) and not getattr(size, "is_number", False) for size in _sizes(inputs)):
            raise Untold("sizes that vary")
        kernel = self.kernels.find(self.problem_of(inputs, vendor.extra_kwargs))
        ours = type(vendor)(
            template=self._templates[op_name],
            params=type(vendor.params)({}),
            extra_kwargs={k: v for k, v in vendor.extra_kwargs.items() if k in ("alpha", "beta")},
            layout=vendor.layout,
            inputs=vendor.inputs,
        )
        return ours, kernel

    def problem_of(self, inputs: Any, scalars: dict[str, Any]) -> Problem:
        """As Inductor's own timing makes it: at cache lines, the result by rows without gaps."""
        import torch

        a, b = inputs.mat1mat2()
        positions = [next(i for i, node in enumerate(inputs.nodes()) if node is one) for one in (a, b)]
        shapes = tuple(tuple(map(int, inputs.shapes_hinted()[position])) for position in positions)
        of_operands = tuple(tuple(map(int, inputs.strides_hinted()[position])) for position in positions)
        m, n = shapes[0][-2], shapes[1][-1]
        of_result = (n, 1) if len(shapes[0]) == 2 else (m * n, n, 1)
        is_sum = len(inputs.nodes()) > 2
        text = problem_text(
            str(a.get_dtype()),
            shapes,
            (*of_operands, of_result),
            LINE_BYTES,
            scalars.get("alpha", 1),
            scalars.get("beta", 1) if is_sum else 0,
            torch.get_num_threads(),
        )
        return Problem.parse(text)


def is_ours(choice: Any) -> bool:
    return str(getattr(choice.template, "name", "")).startswith(PREFIX)


def _sizes(inputs: Any) -> list[Any]:
    return [*inputs.mnk_symbolic(), *(size for node in inputs.nodes() for size in node.get_size())]


def _template(op: str) -> Any:
    from torch._inductor.select_algorithm import ExternKernelChoice

    function = _FUNCTIONS[op]
    known = ExternKernelChoice.lookup(function.__name__)
    return known or ExternKernelChoice(function, None, name=function.__name__)
