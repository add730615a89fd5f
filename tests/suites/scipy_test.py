# SPDX-License-Identifier: Apache-2.0
"""scipy's own tests of its BLAS and of what is made of it, with Triode inside: a BLAS with 32-bit integers,
called by its Fortran names."""

import unittest

from pytest_suite import PytestSuite


class Scipy(PytestSuite):
    package = "scipy"

    def test_blas(self):
        self.check("linalg/tests/test_blas.py")

    def test_generated_wrappers(self):
        self.check("linalg/tests/test_fblas.py")

    def test_cython(self):
        self.check("linalg/tests/test_cython_blas.py")

    def test_matrix_functions(self):
        self.check("linalg/tests/test_matfuncs.py")


if __name__ == "__main__":
    unittest.main()
