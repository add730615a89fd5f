# SPDX-License-Identifier: Apache-2.0
"""`triode doctor` as users run it."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_DOCTOR_COMMAND"]


class DoctorTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_command(self, *words, code=0):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIODE_")}
        environment["TRIODE_CACHE"] = str(self.folder / "cache")
        environment["XDG_RUNTIME_DIR"] = str(self.folder)
        done = subprocess.run([COMMAND, *map(str, words)], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_a_built_tree_is_well_and_each_part_has_its_line(self):
        answer = json.loads(self.run_command("--json")[0])
        self.assertTrue(answer["well"])
        subjects = {finding["subject"] for finding in answer["findings"]}
        self.assertLessEqual({"cpu", "cores", "clock", "load", "blas", "host library", "model", "cache", "disk", "tuner",
                              "python", "gpu"}, subjects)
        self.assertFalse((self.folder / "cache").exists(), "looking makes no cache")

    def test_what_is_bad_comes_with_a_fix_and_exit_code_1(self):
        (self.folder / "cache").mkdir()
        (self.folder / "cache/store").write_text("no database")
        text, _ = self.run_command(code=1)
        self.assertRegex(text, r"bad\s+cache ")
        self.assertIn("-> ", text)
        quiet, _ = self.run_command("--quiet", code=1)
        self.assertNotIn("good", quiet)

    def test_wrong_usage_is_refused(self):
        for words in [["--colour"], ["word"]]:
            self.assertIn("triode doctor --help", self.run_command(*words, code=2)[1])


if __name__ == "__main__":
    unittest.main()
