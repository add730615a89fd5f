# SPDX-License-Identifier: Apache-2.0
"""`triode doctor` as users run it."""

import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_DOCTOR_COMMAND"]
TUNER = os.environ["TRIODE_TUNER_COMMAND"]
VIRTUAL_GPU = os.environ.get("VIRTUAL_GPU_FOLDER")


class DoctorCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def environment(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIODE_")}
        return environment | {"TRIODE_CACHE": str(self.folder / "cache"), "XDG_RUNTIME_DIR": str(self.folder)}

    def run_command(self, *words, code=0, **variables):
        done = subprocess.run([COMMAND, *map(str, words)], env=self.environment() | variables, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def finding(self, subject, *words, code, **variables):
        """Of a machine in a broken state: what is said of it, and what to do."""
        out, _ = self.run_command("--json", *words, code=code, **variables)
        return next(f for f in json.loads(out)["findings"] if f["subject"] == subject)


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

    def test_a_socket_that_a_dead_tuner_left_is_no_tuner(self):
        subprocess.run([TUNER, "start", "--quiet"], env=self.environment(), check=True)
        status = subprocess.run([TUNER, "status", "--json"], env=self.environment(), capture_output=True, check=True)
        os.kill(json.loads(status.stdout)["pid"], signal.SIGKILL)
        self.assertEqual(len(list(self.folder.glob("triode/*.socket"))), 1)
        finding = self.finding("tuner", code=0)
        self.assertEqual(finding["health"], "good")
        self.assertIn("none runs", finding["text"])

    def test_a_cache_that_cannot_be_written_to_is_bad(self):
        finding = self.finding("cache folder", code=1, TRIODE_CACHE="/proc/self/triode")  # root may write elsewhere
        self.assertEqual(finding["health"], "bad")
        self.assertIn("TRIODE_CACHE", finding["fix"])

    def test_a_torch_that_is_not_known_is_told_with_the_one_that_is(self):
        python = self.folder / "python"
        python.write_text("#!/bin/sh\necho 1.13.0\n")
        python.chmod(0o700)
        finding = self.finding("torch", "--python", python, code=0)
        self.assertEqual(finding["health"], "remark")
        self.assertIn("1.13.0", finding["text"])
        self.assertIn("torch==2.15", finding["fix"])

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


class MuteTunerTest(DoctorCase):
    """Waits until the patience with it is over."""

    def test_a_tuner_that_takes_calls_and_answers_none_is_named_with_its_process(self):
        subprocess.run([TUNER, "start", "--quiet"], env=self.environment(), check=True)
        status = subprocess.run([TUNER, "status", "--json"], env=self.environment(), capture_output=True, check=True)
        process = json.loads(status.stdout)["pid"]
        os.kill(process, signal.SIGSTOP)
        try:
            finding = self.finding("tuner", code=1)
            stop = subprocess.run([TUNER, "stop"], env=self.environment(), capture_output=True, text=True)
        finally:
            os.kill(process, signal.SIGKILL)
        self.assertEqual(finding["health"], "bad")
        for fix in [finding["fix"], stop.stderr]:
            self.assertIn(f"kill -9 {process}", fix)
        self.assertEqual(stop.returncode, 1)


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
