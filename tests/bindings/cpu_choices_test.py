# SPDX-License-Identifier: Apache-2.0
"""Triode's kernels for the CPU under torch.compile: compiled and run for real, but for the timings, which are made
up so that it depends on nothing who wins."""

import ctypes
import json
import os
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
_folder = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = _folder.name

import torch
import triode
from selection_test import A100
from torch._dynamo.utils import counters
from torch._inductor import config, select_algorithm
from torch._inductor.utils import run_and_get_code
from triode import _cpu_choices, _triode
from triode._cpu_checks import is_right
from triode._models import find_model

OPS = {
    "mm": (lambda a, b: a @ b, lambda: (torch.randn(33, 48), torch.randn(48, 20))),
    "addmm": (
        torch.nn.functional.linear,
        lambda: (torch.randn(40, 24), torch.randn(16, 24), torch.randn(16)),
    ),
    "bmm": (torch.bmm, lambda: (torch.randn(3, 17, 8), torch.randn(3, 8, 9))),
}


def is_ours(choice):
    return choice.name.startswith("triode_")


class CompileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.enterContext(mock.patch.dict(os.environ, TRIODE_CACHE=str(self.folder / "cache")))
        self.addCleanup(triode.uninstall)
        torch.manual_seed(3)

    def compile(self, function, operands, ours_ms=1.0, torchs_ms=2.0, dynamic=False, **settings):
        """The result, the generated source, and of each op that was timed the names of its choices."""
        timed = []

        def benchmark(self, choices, *_, **__):
            timed.append([choice.name for choice in choices])
            return {choice: ours_ms if is_ours(choice) else torchs_ms for choice in choices}

        torch._dynamo.reset()
        settings = {
            "max_autotune": True,
            "max_autotune_gemm_backends": "ATEN",
            "fx_graph_cache": False,
            "autotune_local_cache": False,
            **settings,
        }
        with config.patch(settings), torch.no_grad():
            with mock.patch.object(select_algorithm.AlgorithmSelectorCache, "benchmark", benchmark):
                result, sources = run_and_get_code(torch.compile(function, dynamic=dynamic), *operands)
        return result, sources[0] if sources else "", timed

    def listed(self):
        command = [os.environ["TRIODE_COMMAND"], "cache"]
        subprocess.run([*command, "compact", "--quiet"], check=True, capture_output=True)
        said = subprocess.run([*command, "ls", "--json"], check=True, capture_output=True)
        return json.loads(said.stdout)["problems"]


class Choosing(CompileTest):
    def test_ours_is_chosen_where_it_is_faster_and_is_right(self):
        triode.install()
        for op, (function, make_operands) in OPS.items():
            for dtype in (torch.float32, torch.float64):
                with self.subTest(op=op, dtype=dtype):
                    operands = [operand.to(dtype) for operand in make_operands()]
                    result, source, timed = self.compile(function, operands)
                    self.assertIn(f"extern_kernels.triode_{op}(", source)
                    self.assertEqual([sum(name.startswith("triode_") for name in one) for one in timed], [1])
                    torch.testing.assert_close(result, function(*operands))
        self.assertEqual(triode.status()["counters"]["cpu_choices"], 6)
        told = triode.explain()
        self.assertEqual([one["op"] for one in told], [op for op in OPS for _ in range(2)])
        self.assertEqual({(one["device"], one["support"], one["candidates"]) for one in told}, {("cpu", "joined", 2)})
        self.assertTrue(all("isa=" in one["kept"][0]["config"] for one in told))

    def test_our_kernels_answered_and_not_torchs(self):
        triode.install()
        function, make_operands = OPS["mm"]
        operands = make_operands()
        with mock.patch.object(_cpu_choices._calls, "multiply", wraps=_cpu_choices._calls.multiply) as multiply:
            self.compile(function, operands)
        self.assertTrue(multiply.called)
        self.assertTrue(_cpu_choices._calls.multiply(*operands, torch.empty(33, 20), 1, 0))

    def test_torchs_own_is_chosen_where_that_is_faster(self):
        triode.install()
        for op, (function, make_operands) in OPS.items():
            operands = make_operands()
            result, source, timed = self.compile(function, operands, torchs_ms=0.5)
            self.assertNotIn("triode_", source)
            self.assertEqual(len(timed), 1)
            torch.testing.assert_close(result, function(*operands))

    def test_what_was_timed_goes_into_the_cache(self):
        triode.install()
        for function, make_operands in OPS.values():
            self.compile(function, make_operands())
        self.assertEqual(triode.status()["counters"]["timings_kept"], 3)
        problems = self.listed()
        self.assertEqual(sorted(one["problem"].split()[0] for one in problems), ["bmm", "mm", "mm"])
        self.assertTrue(all("f32" in one["problem"] for one in problems))

    def test_timings_that_inductor_kept_itself_are_not_kept_again(self):
        function, operands = OPS["mm"][0], (torch.randn(21, 34), torch.randn(34, 55))
        with triode.install():
            self.assertEqual(len(self.compile(function, operands, autotune_local_cache=True)[2]), 1)
            self.assertEqual(triode.status()["counters"]["timings_kept"], 1)
        for _ in range(2):
            with triode.install():
                result, source, timed = self.compile(function, operands, autotune_local_cache=True)
                self.assertEqual(timed, [])
                self.assertIn("extern_kernels.triode_mm(", source)
                counters = triode.status()["counters"]
                self.assertNotIn("timings_kept", counters)
                self.assertEqual(counters["timings_from_inductors_cache"], 1)
        self.assertNotIn("autotune", vars(select_algorithm.get_algorithm_selector_cache()))

    def test_addmm_scales_both_parts(self):
        triode.install()
        a, b, c = torch.randn(12, 7), torch.randn(7, 30), torch.randn(12, 30)

        def function(a, b, c):
            return torch.addmm(c, a, b, alpha=3, beta=-2)

        result, source, _ = self.compile(function, (a, b, c))
        self.assertIn("extern_kernels.triode_addmm(", source)
        torch.testing.assert_close(result, function(a, b, c))


class Promoted(CompileTest):
    """What was learned online and promoted chooses the CPU's kernels too."""

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.object(_cpu_choices, "_kernels", None))

    def favourite(self):
        function, make_operands = OPS["mm"]
        operands = make_operands()
        result, source, _ = self.compile(function, operands)
        self.assertIn("extern_kernels.triode_mm(", source)
        torch.testing.assert_close(result, function(*operands))
        (kernel,) = triode.inductor._installed.cpu.kernels.calls.values()
        return kernel

    def test_a_learned_snapshot_changes_the_kernel(self):
        triode.install()
        before = self.favourite()
        shipped = triode.status()["cpu"]
        self.assertEqual(shipped["model_from"], "shipped")
        device = triode.CpuDevice()
        space = device.space(before.problem)
        others = [space.sample(seed) for seed in range(12)]
        timed = [(space.parse(before.config), 1e-2), *((config, 1e-5) for config in others)]
        chooser = triode.inductor._installed.cpu.kernels.chooser
        for _ in range(4):
            snapshot = chooser.learned(device, before.problem, timed)
            chooser = _triode.CpuChooser.from_bytes(snapshot)
        path = self.folder / "learned.snapshot"
        path.write_bytes(snapshot)
        command = [os.environ["TRIODE_COMMAND"], "model", "promote", str(path), "--quiet"]
        subprocess.run(command, check=True, capture_output=True)
        triode.install()
        self.assertEqual(triode.status()["cpu"]["model_from"], "promoted")
        self.assertEqual(triode.status()["cpu"]["digest"], chooser.digest)
        self.assertNotEqual(shipped["digest"], chooser.digest)
        self.assertNotEqual(self.favourite().config, before.config)

    def test_a_model_for_gpus_is_no_model_for_the_cpu(self):
        with self.assertRaisesRegex(ValueError, "is for a gpu"):
            _triode.CpuChooser.from_bytes(find_model("gpu").read_bytes())


class Broken:
    """An artifact that computes a little wrong."""

    def __init__(self, artifact, element=0):
        self._artifact, self._element = artifact, element

    def run_at(self, a, b, c, alpha, beta):
        self._artifact.run_at(a, b, c, alpha, beta)
        ctypes.c_float.from_address(c + 4 * self._element).value += 1


class BrokenDevice(_triode.CpuDevice):
    def build(self, problem, config):
        return Broken(super().build(problem, config))


class Checked(CompileTest):
    """No kernel is a choice, or answers, before it gave torch's result."""

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.object(_cpu_choices, "_kernels", None))

    def broken(self):
        return mock.patch.object(_cpu_choices.kernels(), "device", BrokenDevice())

    def test_a_kernel_made_wrong_is_no_choice(self):
        triode.install()
        function, make_operands = OPS["mm"]
        operands = make_operands()
        with self.broken(), self.assertWarnsRegex(UserWarning, "leaves out a kernel of its own"):
            result, source, timed = self.compile(function, operands)
        self.assertNotIn("triode_", source)
        self.assertFalse(any(name.startswith("triode_") for one in timed for name in one))
        self.assertEqual(triode.status()["counters"]["cpu_kernels_wrong"], 1)
        torch.testing.assert_close(result, function(*operands))

    def test_a_kernel_made_wrong_answers_no_call(self):
        a, b = torch.randn(6, 5), torch.randn(5, 8)
        with self.broken():
            torch.testing.assert_close(_cpu_choices.triode_mm(a, b, out=torch.empty(6, 8)), a @ b)
        self.assertEqual(list(_cpu_choices.kernels().calls.values()), [None])

    def test_all_that_may_be_asked_for_is_checked(self):
        kernels = _cpu_choices.kernels()
        for text in (
            "mm f32 33x20x48 nn",
            "mm f64 7x9x300 tt ld=11,301,12 alpha=other beta=other",
            "mm f32 1x64x64 nn align=4",
            "mm f32 64x1x2049 nt beta=1",
            "bmm f64 3x17x9x8 tn",
            "bmm f32 4x17x9x8 nn strides=0,72,200 alpha=other",
        ):
            problem = triode.Problem.parse(text)
            kernel = kernels.find(problem)
            self.assertTrue(kernel.is_right, text)
            # In the last place of the result, and behind it.
            if problem.a_type == "f32":
                last = (problem.batch - 1) * problem.c_batch_stride + (problem.m - 1) * problem.ldc + problem.n - 1
                for element in (0, last, last + 1):
                    self.assertFalse(is_right(problem, Broken(kernel.artifact, element)), text)

    def test_two_kernels_are_built_at_once(self):
        both = threading.Barrier(2, timeout=60)

        class Waiting(_triode.CpuDevice):
            def build(self, problem, config):
                both.wait()  # broken, and an error, if the other never comes
                return super().build(problem, config)

        self.assertEqual(self.found_by_threads(Waiting(), (5, 6)), [True, True])

    def test_one_kernel_of_a_problem_is_built_however_many_ask(self):
        built = []

        class Slow(_triode.CpuDevice):
            def build(self, problem, config):
                built.append(problem)
                time.sleep(0.2)  # the others ask meanwhile
                return super().build(problem, config)

        self.assertEqual(self.found_by_threads(Slow(), (7, 7, 7)), [True, True, True])
        self.assertEqual(len(built), 1)

    def test_a_kernel_that_could_not_be_built_is_tried_again(self):
        kernels = _cpu_choices.kernels()
        problem = triode.Problem.parse("mm f32 5x6x7 nn")
        with mock.patch.object(kernels, "_build", side_effect=MemoryError("none left")):
            with self.assertRaisesRegex(MemoryError, "none left"):
                kernels.find(problem)
        self.assertTrue(kernels.find(problem).is_right)

    def found_by_threads(self, device, sizes):
        """Whether each of as many threads found a kernel for a matmul of its size."""
        kernels, right = _cpu_choices.kernels(), []

        def find(size):
            right.append(kernels.find(triode.Problem.parse(f"mm f32 {size}x6x7 nn")).is_right)

        with mock.patch.object(kernels, "device", device):
            threads = [threading.Thread(target=find, args=(size,)) for size in sizes]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return right

    def test_the_programs_random_numbers_stay_its_own(self):
        torch.manual_seed(8)
        expected = torch.randn(3)
        torch.manual_seed(8)
        _cpu_choices.kernels().find(triode.Problem.parse("mm f32 5x6x7 nn"))
        self.assertTrue(torch.equal(torch.randn(3), expected))


class LeftAlone(CompileTest):
    def assert_none_of_ours(self, function, operands, **settings):
        result, source, timed = self.compile(function, operands, **settings)
        self.assertNotIn("triode_", source)
        self.assertFalse(any(name.startswith("triode_") for one in timed for name in one))
        torch.testing.assert_close(result, function(*operands))

    def test_without_max_autotune_nothing_is_timed(self):
        triode.install()
        function, make_operands = OPS["mm"]
        self.assert_none_of_ours(function, make_operands(), max_autotune=False)

    def test_switched_off(self):
        triode.install(cpu=False)
        function, make_operands = OPS["mm"]
        self.assert_none_of_ours(function, make_operands())

    def test_types_and_sizes_without_a_kernel(self):
        triode.install()
        function, make_operands = OPS["mm"]
        self.assert_none_of_ours(function, [operand.bfloat16() for operand in make_operands()])
        self.assert_none_of_ours(function, make_operands(), dynamic=True)
        self.assertGreater(triode.status()["counters"]["fallback_unsupported"], 1)
        reasons = {one["problem"] for one in triode.explain()}
        self.assertEqual(reasons, {"operands of type torch.bfloat16", "sizes that vary"})

    def test_calls_that_do_not_lie_as_expected_are_torchs(self):
        triode.install()
        a, b = torch.randn(6, 5), torch.randn(5, 8)
        by_columns = torch.empty(8, 6).t()
        _cpu_choices.triode_mm(a, b, out=by_columns)
        torch.testing.assert_close(by_columns, a @ b)
        gaps = torch.randn(6, 10)[:, ::2]
        torch.testing.assert_close(_cpu_choices.triode_mm(gaps, b, out=torch.empty(6, 8)), gaps @ b)
        bias = torch.randn(8)
        summed = _cpu_choices.triode_addmm(bias, gaps, b, beta=2, out=torch.empty(6, 8))
        torch.testing.assert_close(summed, torch.addmm(bias, gaps, b, beta=2))
        batch = torch.randn(2, 5, 6).transpose(1, 2)[:, ::2]
        other = torch.randn(2, 5, 4)
        result = _cpu_choices.triode_bmm(batch, other, out=torch.empty(2, 3, 4))
        torch.testing.assert_close(result, torch.bmm(batch, other))

    def test_pointers_between_cache_lines(self):
        triode.install()
        memory = torch.randn(1 + 6 * 5)
        a, b = memory[1:].view(6, 5), torch.randn(5, 8)
        torch.testing.assert_close(_cpu_choices.triode_mm(a, b, out=torch.empty(6, 8)), a @ b)


class Compiled(CompileTest):
    def test_compiled_code_is_right_after_uninstall(self):
        function, make_operands = OPS["mm"]
        operands = make_operands()
        triode.install()
        torch._dynamo.reset()
        with config.patch(max_autotune=True, max_autotune_gemm_backends="ATEN", fx_graph_cache=False), torch.no_grad():
            compiled = torch.compile(function)
            compiled(*operands)
            triode.uninstall()
            torch.testing.assert_close(compiled(*operands), function(*operands))

    def test_compiled_graphs_are_found_again_by_the_digest_of_the_model(self):
        function, make_operands = OPS["mm"]
        operands = make_operands()

        def hits(model):
            before = counters["inductor"]["fxgraph_cache_hit"]
            with triode.install(model=model):
                result, _, _ = self.compile(function, operands, fx_graph_cache=True)
            torch.testing.assert_close(result, function(*operands))
            return counters["inductor"]["fxgraph_cache_hit"] - before

        self.assertEqual(hits(None), 0)
        self.assertEqual(hits(None), 1)
        self.assertEqual(hits(self.another_model()), 0)
        self.assertEqual(hits(None), 1)

    def another_model(self):
        ranker = _triode.TemplateRanker(str(find_model("gpu")))
        problem = triode.Problem.parse("mm f16 1024x1024x1024 nn")
        path = self.folder / "learned.snapshot"
        timed = [((64, 64, 32, 8, 3, 4), 1e-4), ((128, 128, 32, 8, 3, 4), 3e-4)]
        path.write_bytes(ranker.learned(problem, A100, timed))
        return str(path)

    def test_two_threads_compile(self):
        triode.install()
        wrong = []

        settings = dict(max_autotune=True, max_autotune_gemm_backends="ATEN", fx_graph_cache=False)

        def work(size):
            a, b = torch.randn(size, 24), torch.randn(24, size)
            # Settings are a thread's own.
            with torch.no_grad(), config.patch(settings):
                if not torch.allclose(torch.compile(lambda a, b: a @ b, dynamic=False)(a, b), a @ b, atol=1e-4):
                    wrong.append(size)

        def benchmark(self, choices, *_, **__):
            return {choice: 1.0 if is_ours(choice) else 2.0 for choice in choices}

        torch._dynamo.reset()
        with mock.patch.object(select_algorithm.AlgorithmSelectorCache, "benchmark", benchmark):
            threads = [threading.Thread(target=work, args=(size,)) for size in (30, 50)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(triode.status()["counters"]["cpu_choices"], 2)


if __name__ == "__main__":
    unittest.main()
