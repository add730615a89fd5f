# SPDX-License-Identifier: Apache-2.0
"""`triode doctor` as users run it."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_DOCTOR_COMMAND"]
VIRTUAL_GPU = os.environ.get("VIRTUAL_GPU_FOLDER")


class DoctorCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_command(self, *words, code=0, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIODE_")} | variables
        environment["TRIODE_CACHE"] = str(self.folder / "cache")
        environment["XDG_RUNTIME_DIR"] = str(self.folder)
        done = subprocess.run([COMMAND, *map(str, words)], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr


class DoctorTest(DoctorCase):
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

    @unittest.skipUnless(VIRTUAL_GPU, "built without CUDA")
    def test_a_gpu_is_tested_and_the_report_holds_each_step(self):
        # No Triton: it would take a minute.
        words = ["--gpu", "--types", "f32", "--configs", "1", "--size", "32", "-o", self.folder / "report.json"]
        out, err = self.run_command(*words, LD_LIBRARY_PATH=VIRTUAL_GPU, TRIODE_PYTHON="/nowhere/python")
        self.assertRegex(out, r"good\s+gpu device .*test instrument")
        self.assertRegex(out, r"good\s+gpu nvrtc mm f32\s+6 of 6 right")
        self.assertRegex(err, r"gpu \d+/\d+ nvrtc mm f32")
        report = json.loads((self.folder / "report.json").read_text())
        self.assertTrue(report["well"])
        self.assertIn("version", report)
        self.assertEqual({step["result"] for step in report["gpu"]}, {"passed", "skipped"})
        self.assertIn("nvrtc bmm f32", {step["kind"] for step in report["gpu"]})

    @unittest.skipUnless(VIRTUAL_GPU, "built without CUDA")
    def test_without_a_gpu_it_says_so_and_what_to_do(self):
        out, _ = self.run_command("--gpu", "--json", LD_LIBRARY_PATH=VIRTUAL_GPU, TRIODE_VGPU_DEVICES="0",
                                  TRIODE_PYTHON="/nowhere/python", code=1)
        driver = next(f for f in json.loads(out)["findings"] if f["subject"] == "gpu driver")
        self.assertEqual(driver["health"], "bad")
        self.assertIn("no GPU", driver["text"])
        self.assertIn("nvidia-smi", driver["fix"])

    def test_what_is_for_gpus_goes_with_gpu(self):
        self.assertIn("--gpu", self.run_command("--types", "f32", code=2)[1])
        self.assertIn("f99", self.run_command("--gpu", "--types", "f99", code=2)[1])


class TritonOnTheVirtualGpuTest(DoctorCase):
    """With the real Triton: a second for each kernel."""

    def test_every_kind_of_kernel_that_sm_80_has_is_right(self):
        out, _ = self.run_command("--gpu", "--types", "bf16,f8e4m3", "--configs", "1", "--size", "0", "--json",
                                  LD_LIBRARY_PATH=VIRTUAL_GPU)
        steps = json.loads(out)["gpu"]
        kinds = {}
        for step in steps:
            kinds.setdefault(step["kind"], set()).add(step["result"])
        for kind in ["mm", "addmm", "bmm", "split-k", "persistent"]:
            self.assertEqual(kinds[f"triton {kind} bf16"], {"passed"})
        self.assertEqual(kinds["triton mm f8e4m3"], {"skipped"})
        self.assertEqual(kinds["nvrtc mm bf16"], {"passed"})


if __name__ == "__main__":
    unittest.main()
