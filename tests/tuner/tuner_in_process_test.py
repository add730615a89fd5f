# SPDX-License-Identifier: Apache-2.0
"""A tuner on threads of the program, as users meet it: with the cache and the meeting place of any other."""

import os
import re
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.environ["TRIODE_HOST_TESTS"])
from guest_run import GUESTS, LIBRARY, TUNER  # noqa: E402
from tuner_process_test import TunerProcess  # noqa: E402

class InProcess(TunerProcess):
    def setUp(self):
        super().setUp()
        self.settings = {**self.settings, "TRIODE_TUNER": "in-process"}

    def log(self) -> str:
        return (self.cache / "tuner.log").read_text()

    def kept_trials(self) -> int:
        """What the next writer takes in."""
        self.ask_cache("compact")
        return sum(row["configs"] for row in self.ask_cache("ls")["problems"])

    @staticmethod
    def counted_trials(metrics: Path) -> int:
        lines = re.findall(r"^triode_tuner_trials_total\{.*\} (\d+)$", metrics.read_text(), re.MULTILINE)
        return sum(map(int, lines))

    def test_program_that_ends_by_itself_leaves_no_tuner(self):
        self.assert_tuned(self.run_tuned(48))
        self.assertEqual(self.status(), {})
        self.assertRegex(self.log(), r" end plans=1 remark=")

    def test_every_trial_is_kept(self):
        metrics = self.folder / "metrics"
        done = self.run_inside(GUESTS / "tuned_guest", 48, variables={"TRIODE_TUNER_METRICS": str(metrics)})
        self.assert_tuned(done)
        self.assertGreater(self.kept_trials(), 0)
        self.assertEqual(self.kept_trials(), self.counted_trials(metrics))

    def test_second_program_begins_with_the_plan(self):
        self.assert_tuned(self.run_tuned(48))
        done = self.run_tuned(48)
        self.assert_tuned(done)
        self.assertEqual(done.report["problems"][0]["remark"], "known from an earlier run")

    def test_cache_that_has_a_tuner_keeps_it(self):
        self.assertEqual(self.tuner("start").returncode, 0)
        self.assert_tuned(self.run_tuned(48))
        status = self.status()
        self.assertEqual((status["plans"], len(re.findall(" start ", self.log()))), (1, 1))

    def test_fork_while_it_searches(self):
        done = self.run_tuned("searching", guest="forking_guest")
        self.assertEqual(done.facts, {"children_that_ended_well": 20, "is_right": 1})

    def test_model_that_is_trusted(self):
        done = self.run_inside(GUESTS / "tuned_guest", 48, options=["--trust-model"])
        self.assert_tuned(done)
        self.assertIn(" trusted ", self.log())

    def test_library_that_is_not_there(self):
        folder = self.folder / "lib"
        folder.mkdir()
        library = shutil.copy(LIBRARY, folder / "libtriode.so")
        (self.folder / "bin").mkdir()
        shutil.copy(TUNER, self.folder / "bin" / "triode-tuner")
        done = self.run_command([GUESTS / "repeating_guest", 80, 20], {"LD_PRELOAD": str(library)})
        self.assertEqual((done.code, done.reports), (0, []))
        self.assertIn("libtriode_tuner.so", done.stderr)
        self.assertIn("calls pass through", done.stderr)


if __name__ == "__main__":
    unittest.main()
