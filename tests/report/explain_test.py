# SPDX-License-Identifier: Apache-2.0
"""`triode explain` as users run it, on a cache as a tuner leaves it behind."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_EXPLAIN_COMMAND"]
SAMPLE = os.environ["TRIODE_SAMPLE_CACHE"]


class ExplainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cache = Path(folder.name) / "cache"
        subprocess.run([SAMPLE, cls.cache], check=True)

    def run_command(self, *words, code=0, cache=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIODE_")}
        environment["TRIODE_CACHE"] = str(cache or self.cache)
        done = subprocess.run([COMMAND, *words], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def test_a_tuned_problem(self):
        told = json.loads(self.run_command("--json", "mm f32 17x20x17 nn")[0])
        self.assertEqual(told["answered_by"], "triode")
        self.assertEqual(told["config"], told["plans"][0]["config"])
        self.assertEqual(len(told["trials"]), 40)
        self.assertGreater(told["legal_configs"], 40)
        self.assertGreater(told["vendor_ns"], told["plans"][0]["plan_ns"])
        self.assertEqual(told["model"]["support"].split(":")[0] in ("in support", "extrapolated"), True)
        self.assertEqual(len(told["model"]["favourites"]), 5)
        self.assertIn("log2_m", [feature["name"] for feature in told["features"]])

    def test_the_story_names_what_it_beat_and_what_would_change_it(self):
        text, _ = self.run_command("mm", "f32", "17x20x17", "nn")
        for words in ["libopenblas.so.0", "1.50x", "guard pages", "Timed: 40 of",
                      "would try first", "What would change it"]:
            self.assertIn(words, text)
        self.assertNotIn("FEATURE", text)
        self.assertIn("log2_m", self.run_command("--features", "mm f32 17x20x17 nn")[0])
        self.assertGreater(len(self.run_command("--all", "mm f32 17x20x17 nn")[0]), len(text))

    def test_a_problem_that_keeps_the_vendor_and_one_never_seen(self):
        kept = json.loads(self.run_command("--json", "mm f32 1024x1027x1024 nn")[0])
        self.assertEqual(kept["answered_by"], "vendor")
        unseen = self.run_command("mm f64 31x31x31 nt")[0]
        self.assertIn("never timed", unseen)
        self.assertIn("would try first", unseen)

    def test_works_without_a_cache_and_makes_none(self):
        nothing = self.cache.parent / "nothing"
        self.assertIn("never timed", self.run_command("mm f32 8x8x8 nn", cache=nothing)[0])
        self.assertFalse(nothing.exists())

    def test_wrong_usage_is_refused_and_points_at_the_token(self):
        self.assertIn("mm f32 512x512x512", self.run_command(code=2)[1])
        self.assertIn("banana", self.run_command("mm", "banana", code=2)[1])
        self.run_command("--colour", "mm f32 8x8x8 nn", code=2)

    def test_damaged_files_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            damaged = Path(folder) / "cache"
            subprocess.run([SAMPLE, damaged], check=True)
            (damaged / "tuner.log").write_bytes(bytes(range(256)) * 64)
            told = json.loads(self.run_command("--json", "mm f32 17x20x17 nn", cache=damaged)[0])
            self.assertEqual(told["decisions"], [])
            plans = damaged / "host.plans"
            plans.write_bytes(plans.read_bytes()[:-40])
            _, err = self.run_command("mm f32 17x20x17 nn", cache=damaged, code=1)
            self.assertIn(str(plans), err)
            plans.unlink()
            (damaged / "store" / "CURRENT").write_bytes(b"\xff")
            _, err = self.run_command("mm f32 17x20x17 nn", cache=damaged, code=1)
            self.assertIn(str(damaged / "store"), err)


if __name__ == "__main__":
    unittest.main()
