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

    def test_the_choice_is_told_in_full_and_the_vendor_has_its_line_among_the_trials(self):
        told = json.loads(self.run_command("--json", "mm f32 17x20x17 nn")[0])
        text = self.run_command("--all", "mm f32 17x20x17 nn")[0]
        self.assertEqual(text.count(told["config"]), 1)
        rows = text[text.index("CONFIG, WHERE"):].splitlines()[1:]
        faster = sum(0 < trial["median_ns"] < told["vendor_ns"] for trial in told["trials"])
        self.assertIn("(the vendor's kernel)", rows[faster])

    def test_a_problem_that_keeps_the_vendor_and_one_never_seen(self):
        kept = json.loads(self.run_command("--json", "mm f32 1024x1027x1024 nn")[0])
        self.assertEqual(kept["answered_by"], "vendor")
        self.assertEqual(kept["plans_elsewhere"], [])
        unseen = self.run_command("mm f64 31x31x31 nt")[0]
        self.assertIn("never timed", unseen)
        self.assertIn("triode run --report", unseen)
        self.assertIn("would try first", unseen)

    def sample(self, *words):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        cache = Path(folder.name) / "cache"
        subprocess.run([SAMPLE, cache, *words], check=True)
        return cache

    def told_after(self, *events):
        """Of a problem that keeps the vendor, when its tuner has logged these."""
        cache = self.sample()
        (cache / "tuner.log").write_text("".join(
            f'2026-09-21T12:00:0{number}Z {event.replace(" ", " problem=" + chr(34) + "mm f32 1024x1027x1024 nn" + chr(34) + " ", 1)}\n'
            for number, event in enumerate(events)))
        return self.run_command("mm f32 1024x1027x1024 nn", cache=cache)[0]

    def test_tells_the_last_decision_whatever_was_logged_since(self):
        withdrawn = self.told_after("plan speedup=2", "withdrawn plan_ns=2", "search vendor=x", "failed config=y",
                                    "trusted config=z")
        self.assertIn("the plan was withdrawn", withdrawn)
        self.assertIn("A search has begun since", withdrawn)
        stays = self.told_after("withdrawn plan_ns=2", "search vendor=x", "vendor-stays remark=slower")
        self.assertRegex(stays, r"vendor's kernel answers.*: slower\.")
        self.assertNotIn("A search has begun since", stays)

    def test_a_race_that_was_kept_gives_its_spread(self):
        self.assertIn("1.50x +-3.0%, measured in turns", self.run_command("mm f32 17x20x17 nn")[0])

    def test_plans_of_other_targets_are_named_with_what_differs(self):
        text, _ = self.run_command("mm f32 1024x1027x1024 nn", cache=self.sample("elsewhere"))
        self.assertIn("The vendor's kernel answers", text)
        self.assertIn("Plans for other targets", text)
        self.assertRegex(text, r"\(cores \d+, here \d+\): 1\.50x in front of libopenblas")

    def test_what_only_gpus_have_kernels_for_is_told_from_the_cache(self):
        cache = self.sample("elsewhere")
        text, _ = self.run_command("mm f16 64x64x64 nn", cache=cache)
        for words in ["not on this machine's cpu", "answers on A Made-up GPU in front of libcublas.so.13",
                      "5.00 us instead of 7.50 us", "Timed: 1 configs", "on A Made-up GPU"]:
            self.assertIn(words, text)
        told = json.loads(self.run_command("--json", "mm f16 64x64x64 nn", cache=cache)[0])
        self.assertEqual((told["answered_by"], told["vendor_ns"], told["plans"]), ("triode", 7500, []))
        self.assertIn("f16", self.run_command("mm f16 32x32x32 nn", cache=cache, code=1)[1])

    def test_what_nobody_types_may_be_left_out(self):
        cache = self.sample("elsewhere")
        text, _ = self.run_command("mm f32 60x500x300 nn", cache=cache)
        self.assertTrue(text.startswith("mm f32 60x500x300 nn align=16\n"), text)
        self.assertIn("Timed: 1 of", text)
        text, _ = self.run_command("mm f32 61x500x300 nn", cache=cache)
        self.assertIn("this very problem was never timed", text)
        self.assertRegex(text, r"\n  mm f32 61x500x300 nn align=(4|16)\n  mm f32 61x500x300 nn align=(4|16)\n")
        told = json.loads(self.run_command("--json", "mm f32 61x500x300 nn", cache=cache)[0])
        self.assertEqual(len(told["timed_alike"]), 2)

    def test_large_spaces_are_counted_to_a_limit(self):
        told = json.loads(self.run_command("--json", "mm f32 1024x1027x1024 nn")[0])
        self.assertEqual((told["legal_configs"], told["space_limit"]), (100_000, 100_000))
        self.assertIn("of 100,000 or more legal configs", self.run_command("mm f32 1024x1027x1024 nn")[0])

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
