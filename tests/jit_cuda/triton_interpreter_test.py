# SPDX-License-Identifier: Apache-2.0
"""The same kernel sources in Triton's interpreter, which executes them on the CPU without compiling.

It is all that fp8 and tensor descriptors are executed by: the virtual GPU has no sm_90. It knows no layouts,
barriers or alignment, so a pass says that the source computes the right thing and nothing of the code made of
it. usage: triton_interpreter_test.py FOLDER-OF-THE-KERNELS
"""

import itertools
import os
import sys
import unittest

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported
KERNELS = sys.argv.pop(1)
sys.path.insert(0, KERNELS)

import torch  # noqa: E402
import kernel_request  # noqa: E402

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f8e4m3": torch.float8_e4m3fn}
ACTIVATIONS = {
    "none": lambda x: x,
    "relu": torch.relu,
    "gelu": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}
M, N, K = 35, 52, 45


def drawn(shape, dtype, row_elements):
    """Values of the type in rows that start row_elements apart, with NaNs between them."""
    padded = torch.full((*shape[:-1], row_elements), float("nan"), dtype=torch.float32)
    padded[..., : shape[-1]] = torch.rand(shape) * 2 - 1
    return padded.to(dtype)[..., : shape[-1]]


def request_of(changes):
    request = {name: "0" for name in ("a_transposed", "b_transposed", "batched", "scales", "reads_c", "has_bias",
                                      "even_k", "persistent", "tma")}
    request |= {"operand_type": "f16", "c_type": "f16", "activation": "none", "divisible": "", "split_k": "1"}
    request |= {"block_m": "16", "block_n": "32", "block_k": "16", "group_m": "4", "num_warps": "4"}
    request |= {"num_stages": "2", "reduce_m": "8", "reduce_n": "32", "reduce_warps": "4"}
    return request | changes


class Product:
    """Operands for a request, and what c must be."""

    def __init__(self, request):
        self.request = request
        self.batch = 2 if request["batched"] == "1" else 1
        operand, result = TYPES[request["operand_type"]], TYPES[request["c_type"]]
        is_set = kernel_request.is_set
        a_shape = (K, M) if is_set(request, "a_transposed") else (M, K)
        b_shape = (N, K) if is_set(request, "b_transposed") else (K, N)
        self.a = drawn((self.batch, *a_shape), operand, 64)
        self.b = drawn((self.batch, *b_shape), operand, 64)
        self.c = drawn((self.batch, M, N), result, 64)
        if not is_set(request, "reads_c"):
            self.c.fill_(float("nan"))
        self.bias = drawn((N,), result, N)
        self.scales = [torch.tensor([value], dtype=torch.float32) for value in (2.0, 0.25)]
        self.alpha = 0.5 if is_set(request, "scales") else 1.0
        self.beta = -2.0 if is_set(request, "reads_c") else 0.0
        self.want = self.reference()

    def reference(self):
        is_set, request = kernel_request.is_set, self.request
        a = self.a.double().mT if is_set(request, "a_transposed") else self.a.double()
        b = self.b.double().mT if is_set(request, "b_transposed") else self.b.double()
        sums = self.alpha * (a @ b)
        if request["operand_type"] == "f8e4m3":
            sums = sums * 0.5
        if is_set(request, "reads_c"):
            sums = sums + self.beta * self.c.double()
        if is_set(request, "has_bias"):
            sums = sums + self.bias.double()
        return ACTIVATIONS[request["activation"]](sums)

    def arguments(self, workspace):
        values = {"a": self.a, "b": self.b, "c": self.c, "bias": self.bias, "a_scale": self.scales[0]}
        values |= {"b_scale": self.scales[1], "workspace": workspace, "batch": self.batch, "m": M, "n": N, "k": K}
        values |= {"lda": self.a.stride(1), "ldb": self.b.stride(1), "ldc": self.c.stride(1)}
        values |= {"a_stride": self.a.stride(0), "b_stride": self.b.stride(0), "c_stride": self.c.stride(0)}
        return values | {"alpha": self.alpha, "beta": self.beta}


def run(request):
    """c after the call, and what it must be."""
    product = Product(request)
    splits = int(request["split_k"])
    workspace = torch.full((product.batch * splits * M * N,), float("nan"))
    values = product.arguments(workspace)
    pieces = -(-M // int(request["block_m"])) * -(-N // int(request["block_n"])) * product.batch
    programs = 3 if request["persistent"] == "1" else pieces * splits
    constants = kernel_request.matmul_constants(request)
    kernel_request.triode_matmul[(programs,)](**(select(kernel_request.triode_matmul, values) | constants))
    if splits > 1:
        constants = kernel_request.reduction_constants(request)
        pieces = -(-M // int(request["reduce_m"])) * -(-N // int(request["reduce_n"])) * product.batch
        kernel_request.triode_reduce[(pieces,)](**(select(kernel_request.triode_reduce, values) | constants))
    return product.c, product.want


def select(function, values):
    return {name: value for name, value in values.items() if name in function.arg_names}


class Kernels(unittest.TestCase):
    def check(self, **changes):
        with self.subTest(**changes):
            torch.manual_seed(7)
            request = request_of(changes)
            got, want = run(request)
            rounding = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-18}[request["c_type"]]
            torch.testing.assert_close(got.double(), want, rtol=rounding, atol=rounding)

    def test_transposes(self):
        for a, b in itertools.product("01", repeat=2):
            self.check(a_transposed=a, b_transposed=b)

    def test_types(self):
        # Not bf16: the interpreter multiplies its bits as integers.
        self.check(operand_type="f32", c_type="f32")
        self.check(operand_type="f16", c_type="f32")

    def test_epilogues(self):
        for activation in ACTIVATIONS:
            self.check(activation=activation, has_bias="1", scales="1", reads_c="1")

    def test_batches(self):
        self.check(batched="1")
        self.check(batched="1", persistent="1")

    def test_shares_of_k(self):
        self.check(split_k="2", has_bias="1", activation="relu")
        self.check(split_k="8", batched="1", scales="1", reads_c="1")  # more shares than blocks of k

    def test_eight_bit_operands(self):
        for a, b in itertools.product("01", repeat=2):
            self.check(operand_type="f8e4m3", c_type="f32", a_transposed=a, b_transposed=b, block_k="32")
        self.check(operand_type="f8e4m3", c_type="bf16", split_k="2", block_k="32")

    def test_descriptors(self):
        for a, b in itertools.product("01", repeat=2):
            self.check(tma="1", persistent="1", a_transposed=a, b_transposed=b)
        self.check(tma="1", persistent="1", operand_type="f8e4m3", c_type="bf16", block_k="32")
        self.check(tma="1", persistent="1", c_type="f32", has_bias="1", activation="gelu")


class Mutations(unittest.TestCase):
    def test_a_wrong_stride_is_seen(self):
        request = request_of({"tma": "1", "persistent": "1"})
        original = Product.arguments
        try:
            Product.arguments = lambda self, workspace: original(self, workspace) | {"lda": self.a.stride(1) - 8}
            got, want = run(request)
        finally:
            Product.arguments = original
        self.assertFalse(torch.allclose(got.double(), want, rtol=2.0**-10, atol=2.0**-10))


if __name__ == "__main__":
    unittest.main()
