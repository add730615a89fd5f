# SPDX-License-Identifier: Apache-2.0
"""Two real BLAS libraries in one process: each caller keeps its own, with Triode inside and without plans.

TRIODE_SUITE_PYTHON names an interpreter with numpy and scipy from PyPI, whose wheels each bring an OpenBLAS:
64-bit integers and the suffix `64_` in numpy's, 32-bit ones and no suffix in scipy's.
"""

import os
import unittest
from pathlib import Path

from guest_run import Finished, GuestRun
from suite_report import say_share, share_answered

PYTHON = os.environ["TRIODE_SUITE_PYTHON"]
PROGRAM = Path(__file__).parent / "two_libraries_program.py"
LEAST_SHARE = 0.9
OF_NUMPY, OF_SCIPY = "37x41x53", "43x29x61"  # scipy's product is column-major: m and n change places


class TwoLibraries(GuestRun):
    def run_both(self, *options: str) -> Finished:
        done = self.run_inside(PYTHON, PROGRAM, options=options)
        self.assertEqual((done.code, done.stderr), (0, ""))
        self.assertEqual(done.facts["is_right"], 1)
        say_share(f"two libraries, {' '.join(options)}", done)
        return done

    def row(self, done: Finished, size: str) -> dict:
        rows = [row for row in done.report["problems"] if f" {size} " in row["problem"]]
        self.assertEqual(len(rows), 1, done.report["problems"])
        return rows[0]

    def assert_each_keeps_its_own(self, done: Finished):
        numpys, scipys = self.row(done, OF_NUMPY), self.row(done, OF_SCIPY)
        self.assertIn("libscipy_openblas64_-", numpys["vendor"])
        self.assertTrue(numpys["vendor"].endswith(" scipy_cblas_sgemm64_"), numpys["vendor"])
        self.assertIn("libscipy_openblas-", scipys["vendor"])
        self.assertTrue(scipys["vendor"].endswith(" scipy_dgemm_"), scipys["vendor"])
        turns = done.facts["turns"]
        for row in (numpys, scipys):
            self.assertEqual(row["by_vendor"]["calls"] + row["by_triode"]["calls"], turns)

    def test_that_only_count(self):
        done = self.run_both("--mode", "observe")
        self.assert_each_keeps_its_own(done)
        self.assertEqual(done.report["answered"], 0)

    def test_with_plans_for_both(self):
        done = self.run_both("--force-plans", "first")
        self.assert_each_keeps_its_own(done)
        self.assertGreaterEqual(share_answered(done), LEAST_SHARE)


if __name__ == "__main__":
    unittest.main()
