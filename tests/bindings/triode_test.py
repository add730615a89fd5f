# SPDX-License-Identifier: Apache-2.0
"""The Python package as users import it. PYTHONPATH holds it, TRIODE_ROOT names the sources."""

import ast
import gc
import os
import re
import threading
import time
import unittest
from pathlib import Path

import numpy as np
import triode
from triode import _triode

ROOT = Path(os.environ["TRIODE_ROOT"])
DTYPES = {"f32": np.float32, "f64": np.float64}


def draw(shape, dtype="f32", seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(DTYPES[dtype])


def build(text: str) -> triode.Artifact:
    problem = triode.Problem.parse(text)
    device = triode.CpuDevice()
    return device.build(problem, device.space(problem).promising()[0])


def assert_close(got, want, k):
    """Values in [-1, 1): the bound of tests/reference/error_bound.h, at its loosest."""
    np.testing.assert_allclose(got, want, rtol=0, atol=(k + 4) * np.finfo(got.dtype).eps * (k + 1))


class Package(unittest.TestCase):
    def test_version_is_that_of_the_project(self):
        version = re.search(r"project\(triode VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(triode.__version__, version)

    def test_stub_names_what_the_module_has(self):
        stub = ast.parse((Path(triode.__file__).parent / "_triode.pyi").read_text())
        for described in (node for node in stub.body if isinstance(node, ast.ClassDef)):
            names = {
                node.target.id if isinstance(node, ast.AnnAssign) else node.name
                for node in described.body
                if isinstance(node, (ast.AnnAssign, ast.FunctionDef))
            }
            there = {name for name in vars(getattr(_triode, described.name)) if not name.startswith("_")}
            self.assertEqual(names - {"__init__"}, there, described.name)


class Problem(unittest.TestCase):
    def test_shows_its_fields(self):
        problem = triode.Problem.parse("mm f32 3x4x5 tn ld=8,9,10 align=4 alpha=other threads=2")
        self.assertEqual((problem.op, problem.m, problem.n, problem.k), ("mm", 3, 4, 5))
        self.assertEqual((problem.a_type, problem.accumulator), ("f32", "f32"))
        self.assertEqual((problem.a_transposed, problem.b_transposed), (True, False))
        self.assertEqual((problem.lda, problem.ldb, problem.ldc), (8, 9, 10))
        self.assertEqual((problem.alpha, problem.beta), ("other", "0"))
        self.assertEqual((problem.alignment_bytes, problem.threads), (4, 2))

    def test_text_and_repr_give_it_back(self):
        problem = triode.Problem.parse("mm f64 3x4x5 nt beta=1")
        self.assertEqual(triode.Problem.parse(str(problem)), problem)
        self.assertEqual(eval(repr(problem), {"Problem": triode.Problem}), problem)

    def test_equality_is_exact(self):
        problem = triode.Problem.parse("mm f32 3x4x5 nn")
        same, other = (triode.Problem.parse(f"mm f32 3x4x{k} nn") for k in (5, 6))
        self.assertEqual(len({problem, same, other}), 2)
        self.assertNotEqual(problem, other)
        self.assertNotEqual(problem, "mm f32 3x4x5 nn")

    def test_wrong_text_is_a_value_error_that_names_the_place(self):
        with self.assertRaisesRegex(ValueError, "column 4"):
            triode.Problem.parse("mm f33 3x4x5 nn")

    def test_fields_cannot_be_set(self):
        with self.assertRaises(AttributeError):
            triode.Problem.parse("mm f32 3x4x5 nn").m = 7


class Space(unittest.TestCase):
    def setUp(self):
        self.device = triode.CpuDevice()
        self.space = self.device.space(triode.Problem.parse("mm f32 64x64x64 nn align=4"))

    def test_same_seed_gives_the_same_config(self):
        self.assertEqual(self.space.sample(7), self.space.sample(7))
        self.assertTrue(any(self.space.sample(seed) != self.space.sample(7) for seed in range(20)))

    def test_text_of_a_config_uses_the_words_of_the_parameters(self):
        config = self.space.promising()[0]
        text = self.space.to_string(config)
        self.assertEqual(self.space.parse(text), config)
        words = dict(word.split("=") for word in text.split())
        self.assertEqual(list(words), list(self.space.parameters))
        self.assertTrue(all(value in self.space.parameters[name] for name, value in words.items()))

    def test_enumerates_no_more_than_asked(self):
        self.assertEqual(len(self.space.enumerate(limit=5)), 5)
        self.assertGreater(self.space.product_size, 5)

    def test_wrong_config_text_is_a_value_error(self):
        with self.assertRaisesRegex(ValueError, "nonsense"):
            self.space.parse("nonsense=1")

    def test_unsupported_problem_is_not_implemented(self):
        with self.assertRaisesRegex(NotImplementedError, "f32 and f64"):
            self.device.space(triode.Problem.parse("mm bf16 8x8x8 nn"))

    def test_target_names_the_instruction_set(self):
        self.assertIn("avx", self.device.target.isa)
        self.assertIn(self.device.target.isa, str(self.device.target))


class Matmul(unittest.TestCase):
    def test_equals_numpy_for_both_types_and_all_transposes(self):
        m, n, k = 33, 20, 17
        for dtype in DTYPES:
            for order in ("nn", "nt", "tn", "tt"):
                with self.subTest(dtype=dtype, order=order):
                    a = draw((m, k) if order[0] == "n" else (k, m), dtype, 1)
                    b = draw((k, n) if order[1] == "n" else (n, k), dtype, 2)
                    c = np.full((m, n), np.nan, DTYPES[dtype])
                    build(f"mm {dtype} {m}x{n}x{k} {order} align=4").run(a, b, c)
                    want = (a if order[0] == "n" else a.T) @ (b if order[1] == "n" else b.T)
                    assert_close(c, want, k)

    def test_scales_by_alpha_and_adds_beta_times_c(self):
        a, b, c = draw((8, 9), "f64", 1), draw((9, 7), "f64", 2), draw((8, 7), "f64", 3)
        want = 0.5 * (a @ b) - c
        build("mm f64 8x7x9 nn align=8 alpha=other beta=other").run(a, b, c, alpha=0.5, beta=-1.0)
        assert_close(c, want, 9)

    def test_takes_rows_with_gaps_where_the_problem_has_them(self):
        a, b, rows = draw((6, 11), seed=1)[:, :5], draw((5, 9), seed=2)[:, :8], np.zeros((6, 10), np.float32)
        build("mm f32 6x8x5 nn ld=11,9,10 align=4").run(a, b, rows[:, :8])
        assert_close(rows[:, :8], a @ b, 5)
        self.assertFalse(rows[:, 8:].any())

    def test_takes_a_batch(self):
        a, b, c = draw((3, 4, 5), seed=1), draw((3, 5, 6), seed=2), np.zeros((3, 4, 6), np.float32)
        build("bmm f32 3x4x6x5 nn align=4").run(a, b, c)
        assert_close(c, a @ b, 5)

    def test_threaded_config_finds_its_library(self):
        problem = triode.Problem.parse("mm f32 64x64x64 nn align=4 threads=2")
        device = triode.CpuDevice()
        if device.target.cores < 2:
            self.skipTest("needs two cores")
        space = device.space(problem)
        drawn = (space.sample(seed) for seed in range(200))
        config = next(each for each in drawn if "threads=2" in space.to_string(each))
        a, b, c = draw((64, 64), seed=1), draw((64, 64), seed=2), np.zeros((64, 64), np.float32)
        device.build(problem, config).run(a, b, c)
        assert_close(c, a @ b, 64)

    def test_outlives_its_device(self):
        matmul = build("mm f32 4x4x4 nn align=4")
        gc.collect()
        a, c = np.eye(4, dtype=np.float32), np.zeros((4, 4), np.float32)
        matmul.run(a, a, c)
        np.testing.assert_array_equal(c, a)

    def test_other_threads_run_meanwhile(self):
        size, calls, enough = 512, 100, 10
        matmul = build(f"mm f64 {size}x{size}x{size} nn align=8")
        a, c = draw((size, size), "f64"), np.zeros((size, size))
        seen = [0] * calls  # how often this thread got to look while a call was under way
        under_way = None

        def work():
            nonlocal under_way
            for under_way in range(calls):
                matmul.run(a, a, c)
                if max(seen) >= enough:
                    break
            under_way = None

        worker = threading.Thread(target=work)
        worker.start()
        while worker.is_alive():
            time.sleep(1e-4)
            if (call := under_way) is not None:
                seen[call] += 1
        self.assertGreaterEqual(max(seen), enough)


class WrongArrays(unittest.TestCase):
    """Each test changes one thing about operands that would be right."""

    @classmethod
    def setUpClass(cls):
        cls.matmul = build("mm f32 4x6x5 nt align=4")

    def setUp(self):
        self.a, self.b, self.c = draw((4, 5)), draw((6, 5)), np.zeros((4, 6), np.float32)

    def assert_refused(self, pattern, **changed):
        operands = {"a": self.a, "b": self.b, "c": self.c, **changed}
        with self.assertRaisesRegex(ValueError, pattern):
            self.matmul.run(**operands)
        self.assertFalse(self.c.any())

    def test_right_ones_are_taken(self):
        self.matmul.run(self.a, self.b, self.c)
        assert_close(self.c, self.a @ self.b.T, 5)

    def test_wrong_type(self):
        self.assert_refused("^a .* must hold f32, not .*'d'", a=self.a.astype(np.float64))
        self.assert_refused("^b .* must hold f32, not .*'>f'", b=self.b.astype(">f4"))
        self.assert_refused("^b .* must hold f32, not .*'i'", b=self.b.astype(np.int32))

    def test_wrong_shape(self):
        self.assert_refused(r"^b .* must have shape \(6, 5\), not \(5, 6\)", b=self.b.T.copy())
        self.assert_refused(r"^a .* must have shape \(4, 5\), not \(20\)", a=self.a.ravel())
        self.assert_refused(r"^c .* must have shape \(4, 6\), not \(4, 6, 1\)", c=self.c[..., None])

    def test_rows_or_columns_with_gaps(self):
        self.assert_refused(r"^a .* must have strides of \(20, 4\) bytes, not \(40, 8\)", a=draw((4, 10))[:, ::2])
        self.assert_refused(r"^c .* strides of \(24, 4\) bytes, not \(32, 4\)", c=np.zeros((4, 8), np.float32)[:, :6])

    def test_column_major_reversed_and_repeated_rows(self):
        self.assert_refused("^a .* strides", a=np.asfortranarray(self.a))
        self.assert_refused("^a .* strides", a=self.a[::-1])
        self.assert_refused("^a .* strides", a=np.broadcast_to(self.a[0], (4, 5)))

    def test_read_only_c(self):
        locked = self.c.copy()
        locked.flags.writeable = False
        self.assert_refused("^c .* must be writable", c=locked)

    def test_read_only_a_is_taken(self):
        self.a.flags.writeable = False
        self.matmul.run(self.a, self.b, self.c)

    def test_scalar_that_the_problem_does_not_have(self):
        self.assert_refused("alpha", alpha=2.0)

    def test_misaligned_memory(self):
        memory = np.zeros(4 * 6 * 4 + 1, np.uint8)
        self.assert_refused("aligned", c=memory[1:].view(np.float32).reshape(4, 6))

    def test_no_array_at_all(self):
        with self.assertRaises(TypeError):
            self.matmul.run([[1.0]], self.b, self.c)


if __name__ == "__main__":
    unittest.main()
