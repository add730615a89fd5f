# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own samples of its matmuls (OpInfo). As a program it writes what torch says of all of them, argument: the
file, so that two processes can be compared."""

import sys
import types
import unittest

# Torch's samples import it, and use nothing of it.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))

import torch
from torch.testing._internal.common_methods_invocations import op_db

NAMES = ("mm", "addmm", "bmm", "baddbmm", "nn.functional.linear")
OPS = [op for op in op_db if op.name in NAMES]


def samples(op, dtype, requires_grad=False):
    torch.manual_seed(7)
    return list(op.sample_inputs("cpu", dtype, requires_grad=requires_grad))


def call(op, sample):
    return op.op(sample.input, *sample.args, **sample.kwargs)


def gradients(op, sample):
    inputs = [one for one in (sample.input, *sample.args) if isinstance(one, torch.Tensor) and one.requires_grad]
    result = call(op, sample)
    if not inputs:
        return (result.detach(),)
    weights = torch.arange(result.numel(), dtype=torch.float64).to(result.dtype).reshape(result.shape)
    return result.detach(), *torch.autograd.grad(result, inputs, weights / max(1, result.numel()))


def all_results():
    """Of every op, type and sample, in eager, inference mode and with gradients, what comes out."""
    told = {}
    for op in OPS:
        for dtype in sorted(op.dtypes, key=str):
            for number, sample in enumerate(samples(op, dtype)):
                name = f"{op.name} {op.variant_test_name} {dtype} {number}"
                told[f"{name} eager"] = (call(op, sample),)
                with torch.inference_mode():
                    told[f"{name} inference"] = (call(op, sample).clone(),)
            if dtype.is_floating_point or dtype.is_complex:
                for number, sample in enumerate(samples(op, dtype, requires_grad=True)):
                    told[f"{op.name} {op.variant_test_name} {dtype} {number} autograd"] = gradients(op, sample)
    return told


if __name__ == "__main__":
    torch.save(all_results(), sys.argv[1])
