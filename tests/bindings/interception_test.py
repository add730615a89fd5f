# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own samples of its matmuls with Triode in front of its kernels. Every call that Triode takes is
answered by a kernel of its own, measured or not (TRIODE_FORCE_PLANS), so that right results mean something."""

import itertools
import os
import re
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

os.environ.update(TRIODE_MODE="observe", TRIODE_FORCE_PLANS="first")

import torch
import triode
from opinfo_samples import OPS, call, gradients, samples
from torch.utils._python_dispatch import TorchDispatchMode
from triode import interception

TYPES = (torch.float32, torch.float64)
# Torch answers smaller batches by loops of its own.
LEAST_BATCHED_PRODUCTS = 400


def one_line_is_dense(tensor):
    rows, columns = tensor.stride()[-2:]
    m, n = tensor.shape[-2:]
    return (rows >= n or m == 1) and (columns == 1 or n == 1) or (columns >= m or n == 1) and (rows == 1 or m == 1)


class TakeableCalls(TorchDispatchMode):
    """Counts the calls that Triode says it takes."""

    OPERANDS = {"mm": 0, "bmm": 0, "addmm": 1, "baddbmm": 1, "_addmm_activation": 1}

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        first = self.OPERANDS.get(func.overloadpacket.__name__.rstrip("_"))
        if func.namespace == "aten" and first is not None:
            self.count += self.is_takeable(args[first], args[first + 1], kwargs or {})
        return func(*args, **(kwargs or {}))

    @staticmethod
    def is_takeable(a, b, kwargs):
        products = a.shape[-2] * a.shape[-1] * b.shape[-1]
        return (
            a.dtype in TYPES
            and a.numel() > 0
            and products >= (LEAST_BATCHED_PRODUCTS if a.dim() == 3 else 1)
            and kwargs.get("alpha", 1) != 0
            and one_line_is_dense(a)
            and one_line_is_dense(b)
        )


class Intercepted(unittest.TestCase):
    def setUp(self):
        self.interception = self.enterContext(triode.intercept())

    def answered(self, work):
        before = self.interception.counters()["triode_calls"]
        result = work()
        return result, self.interception.counters()["triode_calls"] - before


class Samples(Intercepted):
    def compare(self, run, requires_grad=False):
        """Of every op and type: what torch says, and what comes with Triode in front."""
        for op, dtype in itertools.product(OPS, sorted(OPS[0].dtypes, key=str)):
            has_gradients = dtype.is_floating_point or dtype.is_complex
            if dtype not in op.dtypes or (requires_grad and not has_gradients):
                continue
            for number, sample in enumerate(samples(op, dtype, requires_grad)):
                with self.subTest(op=op.name, variant=op.variant_test_name, dtype=dtype, sample=number):
                    triode.release()
                    wanted = run(op, sample)
                    triode.intercept()
                    torch.testing.assert_close(run(op, sample), wanted)

    def test_eager(self):
        self.compare(call)

    def test_autograd(self):
        self.compare(gradients, requires_grad=True)

    def test_inference_mode(self):
        def run(op, sample):
            with torch.inference_mode():
                return call(op, sample)

        self.compare(run)

    def test_into_given_tensors(self):
        def run(op, sample):
            if not op.supports_out:
                return None
            out = torch.full_like(call(op, sample), 3)
            return op.op(sample.input, *sample.args, **sample.kwargs, out=out)

        self.compare(run)

    def test_in_place(self):
        def run(op, sample):
            result = call(op, sample)
            if op.inplace_variant is None or sample.input.shape != result.shape:
                return None
            return op.inplace_variant(sample.input.clone(), *sample.args, **sample.kwargs)

        self.compare(run)

    def test_nine_of_ten_that_can_be_taken_are_answered(self):
        def work():
            with TakeableCalls() as takeable:
                for op, dtype in itertools.product(OPS, TYPES):
                    for sample in samples(op, dtype, requires_grad=True):
                        gradients(op, sample)
            return takeable.count

        takeable, answered = self.answered(work)
        self.assertGreater(takeable, 100)
        self.assertGreaterEqual(answered / takeable, 0.9)
        self.assertLessEqual(answered, takeable)


class Answers(Intercepted):
    """Who answers a call."""

    def assert_answered(self, count, work, wanted=None):
        result, answered = self.answered(work)
        self.assertEqual(answered, count)
        if wanted is not None:
            torch.testing.assert_close(result, wanted)

    def assert_torchs_own(self, work):
        passed = self.interception.counters()["passed"]
        self.assert_answered(0, work)
        self.assertGreater(self.interception.counters()["passed"], passed)

    def setUp(self):
        super().setUp()
        torch.manual_seed(1)
        self.a, self.b, self.bias = torch.randn(6, 8), torch.randn(8, 10), torch.randn(10)
        self.product = (self.a.double() @ self.b.double()).float()

    def test_every_form_of_an_addition(self):
        wanted = self.bias + 2 * self.product
        out = torch.empty(6, 10)
        self.assert_answered(1, lambda: torch.addmm(self.bias, self.a, self.b, alpha=2), wanted)
        self.assert_answered(1, lambda: torch.addmm(self.bias, self.a, self.b, alpha=2, out=out), wanted)
        self.assert_answered(
            1, lambda: self.bias.expand(6, 10).clone().addmm_(self.a, self.b, alpha=2), wanted
        )
        self.assert_answered(1, lambda: torch._addmm_activation(self.bias, self.a, self.b, alpha=2), wanted.relu())
        gelu = torch.nn.functional.gelu(wanted)
        self.assert_answered(
            1, lambda: torch._addmm_activation(self.bias, self.a, self.b, alpha=2, use_gelu=True), gelu
        )

    def test_an_addend_that_is_not_read_may_hold_anything(self):
        nothing = torch.full((10,), float("nan"))
        self.assert_answered(1, lambda: torch.addmm(nothing, self.a, self.b, beta=0), self.product)

    def test_addends_are_broadcast(self):
        for shape in ((1,), (6, 1), (1, 10), (6, 10)):
            addend = torch.randn(shape)
            self.assert_answered(1, lambda: torch.addmm(addend, self.a, self.b), addend + self.product)

    def test_results_by_columns_and_with_gaps(self):
        by_columns, with_gaps = torch.empty(10, 6).t(), torch.full((6, 16), 7.0)
        self.assert_answered(1, lambda: torch.mm(self.a, self.b, out=by_columns), self.product)
        self.assert_answered(1, lambda: torch.mm(self.a, self.b, out=with_gaps[:, 3:13]), self.product)
        self.assertTrue((with_gaps[:, :3] == 7).all() and (with_gaps[:, 13:] == 7).all())

    def test_batches_in_any_order(self):
        a, b = torch.randn(3, 9, 8), torch.randn(3, 10, 8).transpose(1, 2)
        wanted = (a.double() @ b.double()).float()
        self.assert_answered(1, lambda: torch.bmm(a, b), wanted)
        self.assert_answered(1, lambda: a @ b[:1].expand(3, 8, 10), (a.double() @ b[:1].double()).float())
        self.assert_answered(1, lambda: torch.baddbmm(self.bias, a, b, beta=2), 2 * self.bias + wanted)

    def test_a_result_that_overlaps_an_operand_is_torchs_own(self):
        square, other = torch.randn(8, 8), torch.randn(8, 8)
        memory = torch.randn(72)
        overlapping = memory[8:].view(8, 8)
        self.assert_answered(0, lambda: torch.mm(square, other, out=square))
        self.assert_answered(0, lambda: torch.mm(memory[:64].view(8, 8), other, out=overlapping))
        self.assert_torchs_own(lambda: torch.addmm(self.bias[:8], overlapping, other, out=overlapping))
        # Beside an operand in the same memory is not over it.
        beside = torch.randn(2, 8, 8)
        self.assert_answered(1, lambda: torch.mm(beside[0], other, out=beside[1]), beside[0] @ other)

    def test_what_is_not_understood_is_torchs_own(self):
        self.assert_torchs_own(lambda: torch.mm(self.a.bfloat16(), self.b.bfloat16()))
        self.assert_torchs_own(lambda: torch.mm(self.a.to(torch.int64), self.b.to(torch.int64)))
        self.assert_torchs_own(lambda: torch.mm(self.a[:0], self.b))
        self.assert_torchs_own(lambda: torch.mm(self.a[:, ::2], self.b[::2]))
        self.assert_torchs_own(lambda: torch.mm(self.a[:1].expand(6, 8), self.b))
        self.assert_torchs_own(lambda: torch.addmm(self.bias, self.a, self.b, alpha=0))
        self.assert_torchs_own(lambda: torch.bmm(torch.randn(2, 3, 3), torch.randn(2, 3, 3)))

    def test_torchs_own_errors_are_told(self):
        with self.assertRaisesRegex(RuntimeError, "cannot be multiplied"):
            torch.mm(self.a, self.a)
        with self.assertRaisesRegex(RuntimeError, "expand"):
            torch.addmm(torch.randn(7), self.a, self.b)
        self.assert_answered(1, lambda: torch.mm(self.a, self.b), self.product)

    def test_a_wrong_result_is_resized_as_ever(self):
        out = torch.empty(0)
        torch.mm(self.a, self.b, out=out)
        torch.testing.assert_close(out, self.product)

    def test_deterministic_algorithms_are_torchs_own(self):
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        self.assert_torchs_own(lambda: torch.mm(self.a, self.b))

    def test_subclasses_and_tensors_without_memory_are_left_alone(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            self.assertEqual(torch.mm(torch.empty(3, 4), torch.empty(4, 5)).shape, (3, 5))
        self.assertEqual(torch.mm(self.a.to("meta"), self.b.to("meta")).shape, (6, 10))
        parameter = torch.nn.Parameter(self.b)
        self.assert_answered(1, lambda: (self.a @ parameter).detach(), self.product)

    def test_modules_that_multiply(self):
        attention = torch.nn.MultiheadAttention(16, 2, batch_first=True)
        x = torch.randn(2, 12, 16)
        with torch.no_grad():
            triode.release()
            wanted = attention(x, x, x)
            triode.intercept()
            result, answered = self.answered(lambda: attention(x, x, x))
        torch.testing.assert_close(result, wanted)
        self.assertGreater(answered, 0)

    def test_second_derivatives(self):
        a, b = self.a.double().requires_grad_(), self.b.double().requires_grad_()
        self.assertTrue(torch.autograd.gradgradcheck(torch.mm, (a, b)))

    def test_many_threads(self):
        wrong = []

        def work(seed):
            generator = torch.Generator().manual_seed(seed)
            for size in range(4, 40):
                a, b = (torch.randn(size, size, generator=generator, dtype=torch.float64) for _ in range(2))
                if not torch.allclose(torch.mm(a, b), (a[:, :, None] * b[None]).sum(1)):
                    wrong.append(size)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Installing(unittest.TestCase):
    def setUp(self):
        self.addCleanup(triode.release)
        self.a = torch.randn(5, 5)

    def answered(self, interception):
        before = interception.counters()["triode_calls"]
        torch.mm(self.a, self.a)
        return interception.counters()["triode_calls"] - before

    def test_again_and_again(self):
        interception = triode.intercept()
        self.assertIs(triode.intercept(), interception)
        self.assertEqual(self.answered(interception), 1)
        for _ in range(3):
            triode.release()
            self.assertEqual(self.answered(interception), 0)
            self.assertEqual(self.answered(triode.intercept()), 1)

    def test_leaving_a_block_that_was_released_inside_does_nothing(self):
        with triode.intercept():
            triode.release()
            outer = triode.intercept()
        self.assertEqual(self.answered(outer), 1)

    def test_what_the_guide_shows_intercepts(self):
        text = (Path(os.environ["TRIODE_ROOT"]) / "docs/guide/torch-eager.md").read_text()
        (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        exec(block, {})
        self.assertEqual(self.answered(triode.intercept()), 1)

    def test_another_override_stays_below(self):
        library = torch.library.Library("aten", "IMPL")
        library.impl("mm", lambda a, b: torch.full((a.shape[0], b.shape[1]), 9.0), "CPU")
        try:
            with triode.intercept() as interception:
                self.assertEqual(self.answered(interception), 1)
                passed = torch.mm(self.a.bfloat16(), self.a.bfloat16())
            self.assertTrue((passed == 9).all())
        finally:
            library._destroy()
        torch.testing.assert_close(torch.mm(self.a, torch.eye(5)), self.a)


class Refusals(unittest.TestCase):
    def assert_refused(self, text):
        with self.assertRaisesRegex(ImportError, text):
            triode.intercept()
        self.assertIsNone(interception._current)

    def test_without_torch(self):
        with mock.patch.dict(sys.modules, torch=None):
            self.assert_refused("needs torch")

    def test_a_build_without_torch_or_for_another(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(interception, "_FOLDER", Path(folder)):
            self.assert_refused("torch was not there when it was built")
            (Path(folder) / "libtriode_torch.so").touch()
            (Path(folder) / "libtriode_torch.version").write_text("1.13.0\n")
            self.assert_refused("is for torch 1.13.0, and torch 2")

    def test_releasing_what_was_not_intercepted_does_nothing(self):
        triode.release()


if __name__ == "__main__":
    unittest.main()
