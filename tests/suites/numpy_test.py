# SPDX-License-Identifier: Apache-2.0
"""numpy's own tests of what multiplies, with Triode inside.

TRIODE_SUITE_PYTHON names an interpreter with numpy, pytest and hypothesis. Its tests run in mode tune, as
users run them, and once more with a random config for every call.
"""

import os
import re
import subprocess
import unittest

from guest_run import Finished, TunedRun
from suite_report import is_long_run, say_share, share_answered

PYTHON = os.environ["TRIODE_SUITE_PYTHON"]
NAME = os.environ["TRIODE_SUITE_NAME"]
LEAST_SHARE = 0.9
PATIENCE_S = 900
SUMMARY = re.compile(r"^(\d+) passed\b.* in [\d.]+s", re.M)
WHERE = """
import hypothesis, numpy, os, pytest
folder = os.path.dirname(numpy.__file__)
print(folder, os.path.join(folder, "_core" if os.path.exists(folder + "/_core/tests") else "core"))
"""

# What a short run leaves out, and why; a run with TRIODE_TEST_LONG=1 leaves out nothing.
LEFT_OUT = {
    "generalized": "the cases of linalg once more for stacks of matrices: a minute, the same shapes",
    "test_huge_vectordot": "dot products of 2**31 elements: no matmul, and gigabytes of memory",
}


def find_folders() -> list:
    """Of numpy and of its core; empty if the interpreter or one of the packages is not there."""
    try:
        done = subprocess.run([PYTHON, "-c", WHERE], capture_output=True, text=True)
    except FileNotFoundError:
        return []
    return done.stdout.split()


def selection(expression: str) -> list:
    """Arguments of pytest that select the tests of an expression, less those that are left out."""
    left_out = [] if is_long_run() else [f"not {name}" for name in LEFT_OUT]
    terms = [f"({expression})"] * bool(expression) + left_out
    return ["-k", " and ".join(terms)] if terms else []


class Numpy(TunedRun):
    def setUp(self):
        super().setUp()
        folders = find_folders()
        if not folders:
            self.skipTest(f"{PYTHON} has no numpy, pytest and hypothesis")
        self.numpy, self.core = folders

    def run_tests(self, path: str, expression: str, *options: str) -> Finished:
        done = self.run_inside(PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                               "-W", "ignore", *selection(expression), path, options=options,
                               timeout=PATIENCE_S)
        self.assertEqual(done.code, 0, done.stdout[-5000:] + done.stderr)
        passed = SUMMARY.search(done.stdout)
        self.assertIsNotNone(passed, done.stdout[-500:])
        say_share(f"{NAME}, {os.path.basename(path)}, {options[-1]}: {passed[1]} passed", done)
        return done

    def check(self, path: str, expression: str = ""):
        self.run_tests(path, expression, "--mode", "tune")
        done = self.run_tests(path, expression, "--force-plans", "random")
        self.assertGreaterEqual(share_answered(done), LEAST_SHARE)

    def test_linalg(self):
        self.check(f"{self.numpy}/linalg/tests/test_linalg.py")

    def test_einsum(self):
        self.check(f"{self.core}/tests/test_einsum.py")

    def test_dot_and_matmul(self):
        self.check(f"{self.core}/tests/test_multiarray.py",
                   "" if is_long_run() else "dot or matmul or MatMul or Dot")


if __name__ == "__main__":
    unittest.main()
