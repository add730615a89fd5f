# SPDX-License-Identifier: Apache-2.0
"""Plans that are to be kept where nothing can be kept: the program is tuned all the same, and told once."""

import resource
import signal
import subprocess
import unittest
from pathlib import Path

from guest_run import GUESTS, LIBRARY, GuestRun

SIZE = 48


class Kept(GuestRun):
    def tune(self, cache: Path, **rest):
        done = self.run_inside(GUESTS / "tuned_guest", SIZE, options=["--mode", "tune"],
                               variables={"TRIODE_CACHE": str(cache)}, **rest)
        self.assertEqual((done.code, done.facts), (0, {"is_answered": 1, "is_right": 1}), done.stderr)
        return done

    def assert_told_once(self, done, *words):
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_where_a_file_is_in_the_way(self):
        cache = self.folder / "cache"
        cache.write_text("mine")
        self.assert_told_once(self.tune(cache), "plans are not kept", str(cache), "TRIODE_CACHE")
        self.assertEqual(cache.read_text(), "mine")

    def test_where_nobody_may_write(self):
        self.assert_told_once(self.tune(Path("/proc/sys")), "plans are not kept", "/proc/sys")

    def test_on_a_full_disk(self):
        """A limit on the size of files stands for it; the output, a pipe, has none. The signal
        that comes with the limit must not end a program that did not write."""

        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        done = self.run_command(
            [GUESTS / "tuned_guest", SIZE],
            {"LD_PRELOAD": LIBRARY, "TRIODE_MODE": "tune"}, preexec_fn=limit_files)
        self.assertEqual((done.code, done.facts), (0, {"is_answered": 1, "is_right": 1}), done.stderr)
        plans, report = done.stderr.splitlines()
        self.assertIn("plans are not kept", plans)
        self.assertIn("the report could not be written", report)

    def test_by_a_program_that_is_killed(self):
        """Whatever it had kept is there, whole."""
        cache = self.folder / "cache"
        self.tune(cache)
        kept = (cache / "host.plans").read_bytes()
        for _ in range(10):
            program = subprocess.Popen(
                [GUESTS / "tuned_guest", str(SIZE + 1)], cwd=self.folder,
                env=self.environment({"LD_PRELOAD": LIBRARY, "TRIODE_MODE": "tune"}),
                stdout=subprocess.DEVNULL)
            try:
                program.wait(timeout=0.2)
            except subprocess.TimeoutExpired:
                program.kill()
            self.assertIn(program.wait(), (0, -signal.SIGKILL))
        done = self.tune(cache)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.report["problems"][0]["remark"], "known from an earlier run")
        self.assertGreaterEqual(len((cache / "host.plans").read_bytes()), len(kept))


if __name__ == "__main__":
    unittest.main()
