# SPDX-License-Identifier: Apache-2.0
"""Whether a kernel of the CPU's computes what torch does, asked once, before it may be a choice."""

from typing import Any

from ._triode import Artifact, Problem

DTYPES = {"f32": "float32", "f64": "float64"}
# What stands for the factors that are no 0 and no 1.
ALPHAS = {"1": 1, "other": 3}
BETAS = {"0": 0, "1": 1, "other": -2}
# Elements before and behind the result that must stay: a cache line and more, so that it begins at one.
MARGIN = 16
UNTOUCHED = 7


def is_right(problem: Problem, artifact: Artifact) -> bool:
    """Runs both on operands of -1, 0 and 1: every sum is a whole number that float32 holds, so that the order of
    adding makes no difference and the results are equal to the bit. Costs one call of each."""
    import torch
    from torch.utils._python_dispatch import _disable_current_modes

    p = problem
    alpha, beta = ALPHAS[p.alpha], BETAS[p.beta]
    # Torch compiles under modes of its own, and a program may have set some.
    with _disable_current_modes(), torch.no_grad(), torch.autocast("cpu", enabled=False):
        a = _operand(1, p, (p.m, p.k), p.a_transposed, p.lda, p.a_batch_stride)
        b = _operand(2, p, (p.k, p.n), p.b_transposed, p.ldb, p.b_batch_stride)
        length = 2 * MARGIN + _extent(p, p.m, p.n, p.ldc, p.c_batch_stride)
        memory = torch.full((length,), UNTOUCHED, dtype=a.dtype, device="cpu")
        c = memory.as_strided((p.batch, p.m, p.n), (p.c_batch_stride, p.ldc, 1), MARGIN)
        c.copy_(_drawn(3, c.shape, c.dtype) if beta else torch.full_like(c, torch.nan))
        expected = alpha * torch.bmm(a, b)
        if beta:
            expected += beta * c
        artifact.run_at(a.data_ptr(), b.data_ptr(), c.data_ptr(), alpha, beta)
        is_equal = torch.equal(c, expected)
        c.fill_(UNTOUCHED)
        return is_equal and bool((memory == UNTOUCHED).all())


def _operand(seed: int, problem: Problem, shape: tuple[int, int], transposed: bool, ld: int, apart: int) -> Any:
    rows, columns = reversed(shape) if transposed else shape
    memory = _drawn(seed, (_extent(problem, rows, columns, ld, apart),), _dtype(problem))
    return memory.as_strided((problem.batch, *shape), (apart, *((1, ld) if transposed else (ld, 1))))


def _extent(problem: Problem, rows: int, columns: int, ld: int, apart: int) -> int:
    return (problem.batch - 1) * apart + (rows - 1) * ld + columns


def _drawn(seed: int, shape: Any, dtype: Any) -> Any:
    import torch

    draw = torch.Generator("cpu").manual_seed(seed)
    return torch.randint(-1, 2, shape, generator=draw, dtype=dtype, device="cpu")


def _dtype(problem: Problem) -> Any:
    import torch

    return getattr(torch, DTYPES[problem.a_type])
