# SPDX-License-Identifier: Apache-2.0
"""Many programs at once, and a tuner that is killed again and again while it works for them.

Twelve programs and three deaths; 64 and twenty with TRIODE_TEST_LONG=1. The environment is that of
tuner_process_test.py.
"""

import concurrent.futures
import os
import signal
import subprocess
import time
import unittest

import tuner_process_test
from tuner_process_test import GUESTS

IS_LONG = os.environ.get("TRIODE_TEST_LONG") == "1"
PROGRAMS = 64 if IS_LONG else 12
DEATHS = 20 if IS_LONG else 3
SIZES = (32, 40, 48)
PATIENCE_S = 300


class Storm(tuner_process_test.TunerProcess):
    def run_one(self, number: int):
        command = [os.environ["TRIODE_RUN"], "--tuner", "process", GUESTS / "tuned_guest",
                   str(SIZES[number % len(SIZES)])]
        return subprocess.run(command, env=self.environment({}), text=True, capture_output=True,
                              timeout=PATIENCE_S)

    def kill_tuner(self, running: list) -> bool:
        """As soon as it has made another trial; False if the programs end before."""
        while not all(one.done() for one in running):
            status = self.status()
            if status.get("current_trials", 0) > 0:
                os.kill(status["pid"], signal.SIGKILL)
                return True
            time.sleep(0.02)
        return False

    def test_programs_outlive_every_death_and_no_plan_is_lost(self):
        known = set()
        with concurrent.futures.ThreadPoolExecutor(PROGRAMS) as pool:
            running = [pool.submit(self.run_one, number) for number in range(PROGRAMS)]
            deaths = sum(self.kill_tuner(running) for _ in range(DEATHS))
            for number, one in enumerate(running):
                done = one.result()
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("is_right=1", done.stdout)
                if "is_answered=1" in done.stdout:
                    known.add(SIZES[number % len(SIZES)])
        self.assertGreater(deaths, 0)
        for size in sorted(known):
            done = self.run_tuned(size)
            self.assert_tuned(done)
            self.assertEqual(done.report["problems"][0]["remark"], "known from an earlier run")


if __name__ == "__main__":
    unittest.main()
