# SPDX-License-Identifier: Apache-2.0
"""PCA and k-means of scikit-learn find the same with Triode inside as without.

TRIODE_SUITE_PYTHON names an interpreter with scikit-learn.
"""

import json
import os
import unittest
from pathlib import Path

from guest_run import Finished, TunedRun
from suite_report import is_long_run, say_share, share_answered

PYTHON = os.environ["TRIODE_SUITE_PYTHON"]
PROGRAM = Path(__file__).parent / "scikit_learn_program.py"
LEAST_SHARE = 0.9
TUNING_S = 30 if is_long_run() else 5
REPEATING_S = 2  # calls that come while their plan is made go to the vendor, so there should be others
PATIENCE_S = 240  # beyond the time that the program is told to take
# Relative to the largest number of an array: some hundred roundings, as between two builds of a BLAS.
TOLERANCE = {"float32": 1e-4, "float64": 1e-9}


def flat(numbers) -> list:
    return [numbers] if isinstance(numbers, float) else [x for part in numbers for x in flat(part)]


class ScikitLearn(TunedRun):
    @classmethod
    def setUpClass(cls):
        cls.plain = None

    def setUp(self):
        super().setUp()
        if ScikitLearn.plain is None:
            ScikitLearn.plain = json.loads(self.run_plainly(PYTHON, PROGRAM, 0).stdout)

    def assert_near(self, got: list, right: list, tolerance: float, what: str):
        scale = max(map(abs, flat(right)))
        self.assertEqual(len(flat(got)), len(flat(right)), what)
        furthest = max(abs(x - y) for x, y in zip(flat(got), flat(right)))
        self.assertLessEqual(furthest, tolerance * scale, what)

    def assert_same_pca(self, got: dict, right: dict, tolerance: float, what: str):
        """A component and what is seen along it may both change sign."""
        self.assert_near(got["variance"], right["variance"], tolerance, what)
        for i, (component, expected) in enumerate(zip(got["components"], right["components"])):
            sign = 1 if sum(x * y for x, y in zip(component, expected)) > 0 else -1
            self.assert_near([sign * x for x in component], expected, tolerance, what)
            self.assert_near([sign * row[i] for row in got["transformed"]],
                             [row[i] for row in right["transformed"]], tolerance, what)

    def assert_same_kmeans(self, got: dict, right: dict, tolerance: float, what: str):
        self.assertEqual(got["labels"], right["labels"], what)
        self.assert_near(got["inertia"], right["inertia"], tolerance, what)
        self.assert_near(got["centers"], right["centers"], tolerance, what)

    def run_and_compare(self, seconds: float, *options: str) -> Finished:
        done = self.run_inside(PYTHON, PROGRAM, seconds, options=options, timeout=seconds + PATIENCE_S)
        self.assertEqual((done.code, done.stderr), (0, ""))
        found = json.loads(done.stdout)
        self.assertEqual(found.keys(), self.plain.keys())
        for what, got in found.items():
            same = self.assert_same_pca if what.startswith("pca") else self.assert_same_kmeans
            same(got, self.plain[what], TOLERANCE[what.split()[-1]], what)
        say_share(f"scikit-learn, {options[-1]}", done)
        return done

    def test_with_plans_that_won(self):
        self.run_and_compare(TUNING_S, "--mode", "tune")

    def test_with_random_plans(self):
        done = self.run_and_compare(REPEATING_S, "--force-plans", "random")
        self.assertGreaterEqual(share_answered(done), LEAST_SHARE)


if __name__ == "__main__":
    unittest.main()
