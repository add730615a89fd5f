# SPDX-License-Identifier: Apache-2.0
"""The built `triode-bench host-overhead`, run as users run it, with counts far too small for a figure.

TRIODE_BENCH names the program; libtriode.so lies where the build puts it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = os.environ["TRIODE_BENCH"]
BRIEFLY = ["--rounds", "3", "--budget", "0.01"]
CALLS_ALONE = [*BRIEFLY, "--counted-calls", "0", "--start-rounds", "0"]


def has_openblas() -> bool:
    done = subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libopenblas.so.0')"],
                          capture_output=True)
    return done.returncode == 0


def has_avx2() -> bool:
    return " avx2 " in Path("/proc/cpuinfo").read_text()


class HostOverhead(unittest.TestCase):
    def setUp(self):
        if not has_openblas() or not has_avx2():
            self.skipTest("needs libopenblas.so.0 and AVX2")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_bench(self, *arguments, **variables) -> subprocess.CompletedProcess:
        environment = {**os.environ, "TMPDIR": str(self.folder), **variables}
        return subprocess.run([BENCH, "host-overhead", *arguments], capture_output=True, text=True,
                              env=environment)

    def measure(self, *arguments, **variables) -> dict:
        done = self.run_bench("--json", "--quiet", *arguments, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)


class Calls(HostOverhead):
    def test_times_every_mode_in_front_of_the_same_library(self):
        # Settings of the user's own must not reach the copies.
        report = self.measure(*CALLS_ALONE, "--threads", "both", TRIODE_MODE="nonsense")
        self.assertEqual(len(report["shapes"]), 10)
        for shape in report["shapes"]:
            timings = shape["timings"]
            self.assertLessEqual({"direct", "off", "observe", "hit_vendor"}, timings.keys())
            vendor = timings["direct"]["answered_by"]
            self.assertIn("openblas", vendor)
            for name, timing in timings.items():
                expected = "generated code" if name == "hit_ours" else vendor
                self.assertEqual(timing["answered_by"], expected, name)
                self.assertGreaterEqual(len(timing["samples_ns"]), 3)
            self.assertTrue("hit_ours" in timings or shape["plan_remark"])
        self.assertIsNotNone(report["summary"]["off_ns"])
        self.assertEqual(report["summary"]["threads"]["count"], 2)
        self.assertIsNone(report["summary"]["hit_instructions"])
        self.assertEqual(list(report)[-1], "summary")

    def test_table_names_what_is_aimed_at_and_leaves_no_file(self):
        done = self.run_bench(*CALLS_ALONE)
        self.assertEqual(done.returncode, 0)
        self.assertIn("off at most 15 ns", done.stdout)
        self.assertIn("64x64x64", done.stdout)
        self.assertIn("timing mm f32 4x4x4", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_wrong_flag_is_wrong_usage(self):
        done = self.run_bench("--threads", "3")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_program_far_from_its_library_says_where_it_looked(self):
        program = self.folder / "triode-bench"
        shutil.copy(BENCH, program)
        done = subprocess.run([program, "host-overhead"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{self.folder}/libtriode.so", done.stderr)

    def test_preloaded_blas_is_a_failure_that_names_it(self):
        library = Path(BENCH).parents[1] / "lib/libtriode.so"
        done = self.run_bench(*CALLS_ALONE, LD_PRELOAD=str(library))
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(library), done.stderr)

    def test_benchmarks_that_users_may_run_are_listed(self):
        done = subprocess.run([BENCH, "nonsense"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("benchmarks: cpu-gemm, host-overhead, cache, learner, tuner, inductor-hook, triton-compile, "
                      "launch-path, torch-dispatch\n", done.stderr)


class Processes(HostOverhead):
    def test_counts_instructions_twice_and_agrees(self):
        report = self.measure(*BRIEFLY, "--counted-calls", "128", "--start-rounds", "0")
        instructions, summary = report["instructions"], report["summary"]
        if instructions["stepped"] is None or instructions["callgrind"] is None:
            self.assertTrue(instructions["stepped_remark"] or instructions["callgrind_remark"])
            self.skipTest("needs ptrace and valgrind")
        stepped = instructions["stepped"]
        added = [sum(parts) for parts in zip(stepped["before_kernel"], stepped["after_kernel"])]
        self.assertEqual(len(added), 128)
        # What is timed takes another way in both, but perhaps not the same instructions.
        self.assertAlmostEqual(sum(added) / len(added), summary["hit_added_instructions"], delta=5)
        self.assertLess(summary["hit_instructions"], summary["hit_added_instructions"])
        self.assertLess(summary["hit_instructions"], 120)

    def test_starts_python_and_finds_nothing_heavy_in_it(self):
        report = self.measure(*BRIEFLY, "--counted-calls", "0", "--start-rounds", "2")
        startup = report["startup"]
        for what in ("with_ms", "without_ms", "with_cpu_ms", "without_cpu_ms"):
            self.assertEqual(len(startup[what]), 2, what)
            self.assertGreater(min(startup[what]), 0, what)
        self.assertIsNotNone(report["summary"]["preload_startup_ms"])
        self.assertIsNotNone(report["summary"]["preload_startup_cpu_ms"])
        self.assertLessEqual(report["summary"]["preload_startup_low_ms"],
                             report["summary"]["preload_startup_high_ms"])
        if shutil.which("valgrind"):
            self.assertGreater(report["summary"]["preload_startup_instructions"], 0)
        if startup["loaded_by_triode"] is None:
            self.skipTest(startup["loaded_remark"])
        self.assertEqual(startup["loaded_by_triode"]["heavy"], [])
        self.assertTrue(any("libtriode" in path for path in startup["loaded_by_triode"]["at_start"]))

    def test_what_is_not_installed_is_null_with_a_word(self):
        report = self.measure(*BRIEFLY, "--counted-calls", "3", "--start-rounds", "3", PATH="/nowhere")
        self.assertIsNone(report["summary"]["hit_added_instructions"])
        self.assertIn("valgrind", report["instructions"]["callgrind_remark"])
        self.assertIsNone(report["summary"]["preload_startup_ms"])
        self.assertIn("python3", report["startup_remark"])


if __name__ == "__main__":
    unittest.main()
