# SPDX-License-Identifier: Apache-2.0
"""numpy's own tests of what multiplies, with Triode inside."""

import os
import unittest

from pytest_suite import PytestSuite
from suite_report import is_long_run

# What a short run leaves out, and why; a run with TRIODE_TEST_LONG=1 leaves out nothing.
LEFT_OUT = {
    "generalized": "the cases of linalg once more for stacks of matrices: a minute, the same shapes",
    "test_huge_vectordot": "dot products of 2**31 elements: no matmul, and gigabytes of memory",
}


def selection(expression: str = "") -> str:
    """The tests of an expression, less those that are left out."""
    terms = [f"({expression})"] if expression else []
    return " and ".join(terms + [f"not {name}" for name in LEFT_OUT if not is_long_run()])


class Numpy(PytestSuite):
    package = "numpy"

    def setUp(self):
        super().setUp()
        self.core = "_core" if os.path.exists(f"{self.root}/_core/tests") else "core"

    def test_linalg(self):
        self.check("linalg/tests/test_linalg.py", selection())

    def test_einsum(self):
        self.check(f"{self.core}/tests/test_einsum.py", selection())

    def test_dot_and_matmul(self):
        self.check(f"{self.core}/tests/test_multiarray.py",
                   selection("" if is_long_run() else "dot or matmul or MatMul or Dot"))

    def test_matrix(self):
        self.check("matrixlib/tests/test_matrix_linalg.py", selection())


if __name__ == "__main__":
    unittest.main()
