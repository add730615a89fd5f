# SPDX-License-Identifier: Apache-2.0
"""The tests that a Python package brings along, run by pytest with Triode inside.

TRIODE_SUITE_PYTHON names an interpreter with the package, pytest and hypothesis, TRIODE_SUITE_NAME what it is
called. The tests run in mode tune, as users run them, and once more with a random config for every call.
"""

import os
import re
import subprocess

from guest_run import Finished, TunedRun
from suite_report import say_share, share_answered

PYTHON = os.environ["TRIODE_SUITE_PYTHON"]
NAME = os.environ["TRIODE_SUITE_NAME"]
LEAST_SHARE = 0.9
PATIENCE_S = 1500
SUMMARY = re.compile(r"^(\d+) passed\b.* in [\d.]+s", re.M)


class PytestSuite(TunedRun):
    package = ""  # of a subclass: whose tests they are

    def setUp(self):
        super().setUp()
        where = (f"import hypothesis, os, pytest, {self.package} as package;"
                 "print(os.path.dirname(package.__file__))")
        try:
            done = subprocess.run([PYTHON, "-c", where], capture_output=True, text=True)
        except FileNotFoundError:
            done = None
        if done is None or done.returncode != 0:
            self.skipTest(f"{PYTHON} has no {self.package}, pytest and hypothesis")
        self.root = done.stdout.strip()

    def run_tests(self, path: str, expression: str, *options: str) -> Finished:
        done = self.run_inside(PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore",
                               "-k", expression, path, options=options, timeout=PATIENCE_S)
        self.assertEqual(done.code, 0, done.stdout[-5000:] + done.stderr)
        passed = SUMMARY.search(done.stdout)
        self.assertIsNotNone(passed, done.stdout[-500:])
        say_share(f"{NAME}, {os.path.basename(path)}, {options[-1]}: {passed[1]} passed", done)
        return done

    def check(self, path: str, expression: str = ""):
        """The tests in a file below the package, those that pytest's -k selects by the expression."""
        self.run_tests(f"{self.root}/{path}", expression, "--mode", "tune")
        done = self.run_tests(f"{self.root}/{path}", expression, "--force-plans", "random")
        self.assertGreaterEqual(share_answered(done), LEAST_SHARE)
