# SPDX-License-Identifier: Apache-2.0
"""Programs that multiply by cuBLAS, with Triode inside, on the virtual GPU: a test instrument whose times mean
nothing. The driver and cuBLAS are stand-ins; the tuner, the compilers, the kernels and the host are real.

TRIODE_VGPU is the folder of the stand-ins; the rest is guest_run.py's.
"""

import json
import os
import signal
import subprocess
import threading
import time
import unittest
from pathlib import Path

from guest_run import GUESTS, RUN, TunedRun

PATIENCE_S = 200
VGPU = os.environ["TRIODE_VGPU"]
CACHE = Path(RUN).with_name("triode-cache")
ANSWERED = {"is_answered": 1, "is_right": 1}
RIGHT = {"is_right": 1}


class OnAVirtualGpu(TunedRun):
    # Two configs of each problem; NVRTC alone, which is quicker than Triton.
    settings = {**TunedRun.settings, "LD_LIBRARY_PATH": VGPU, "TRIODE_GPU_TRIALS": "2",
                "TRIODE_PYTHON": "none"}

    def run_cublas(self, how, size=48, variables=None, **options):
        return self.run_inside(GUESTS / "cublas_guest", how, size, variables=variables, **options)

    def run_until(self, is_enough, variables=None, size=48):
        """A program that goes on until the condition holds, whoever answers it."""
        reading, writing = os.pipe()

        def wait():
            end = time.monotonic() + PATIENCE_S
            while not is_enough() and time.monotonic() < end:
                time.sleep(0.05)
            os.close(writing)

        waiter = threading.Thread(target=wait)
        waiter.start()
        try:
            return self.run_cublas("vendor", size, variables, stdin=reading)
        finally:
            waiter.join()
            os.close(reading)

    def assert_facts(self, done, facts):
        self.assertEqual((done.code, done.facts), (0, facts), done.stderr + self.log())

    def assert_by_vendor(self, done):
        """All of its calls, with right numbers and no word of it."""
        self.assert_facts(done, RIGHT)
        self.assertEqual((done.report["answered"], done.stderr), (0, ""))

    def cache(self, *words):
        """`triode cache WORDS`."""
        done = subprocess.run([CACHE, *words], env=self.environment({}), text=True, timeout=PATIENCE_S,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def log(self) -> str:
        path = self.folder / "cache" / "tuner.log"
        return path.read_text() if path.exists() else ""

    def events(self, kind: str) -> list:
        """The fields of each event of that kind, as one text."""
        words = (line.split(" ", 2) for line in self.log().splitlines())
        return [rest for _, event, rest in words if event == kind]


class Answers(OnAVirtualGpu):
    def test_functions_of_cublas_are_answered_by_plans(self):
        for how in ("gemm_ex", "sgemm", "dgemm", "batched"):
            with self.subTest(how):
                done = self.run_cublas(how)
                self.assert_facts(done, ANSWERED)
                self.assertEqual(done.stderr, "")
                self.assertGreaterEqual(done.report["answered"], 20)

    def test_lt_matmul_is_answered_and_known_to_the_next_program(self):
        self.assert_facts(self.run_cublas("lt"), ANSWERED)
        searches = len(self.events("search"))
        done = self.run_cublas("lt")
        self.assert_facts(done, ANSWERED)
        self.assertEqual(len(self.events("search")), searches)

    def test_each_of_two_gpus(self):
        done = self.run_cublas("gemm_ex", variables={"TRIODE_VGPU_DEVICES": "2", "TWO_DEVICES": "1"})
        self.assert_facts(done, {**ANSWERED, "is_answered_1": 1, "is_right_1": 1})
        self.assertEqual(len(self.events("search")), 1, "one target, so one search")

    def test_plan_comes_while_a_stream_is_captured(self):
        self.assert_facts(self.run_cublas("capture"), ANSWERED)

    def test_plan_outlives_its_tuner(self):
        self.assert_facts(self.run_cublas("gemm_ex"), ANSWERED)
        self.assertEqual(self.tuner("stop").returncode, 0)
        searches = len(self.events("search"))
        self.assert_facts(self.run_cublas("gemm_ex"), ANSWERED)
        self.assertEqual(len(self.events("search")), searches)

    def test_plan_whose_code_was_pruned_is_looked_for_anew(self):
        self.assert_facts(self.run_cublas("gemm_ex"), ANSWERED)
        self.assertEqual(self.tuner("stop").returncode, 0)
        self.cache("prune", "--artifacts", "0")
        searches = len(self.events("search"))
        self.assert_facts(self.run_cublas("gemm_ex"), ANSWERED)
        self.assertEqual(len(self.events("search")), searches + 1)

    def test_vendor_stays_where_it_is_faster(self):
        self.assert_by_vendor(self.run_until(lambda: self.events("vendor-stays"),
                                             {"TRIODE_VGPU_VENDOR_MS": "0.001"}, size=16))
        self.assertEqual(self.events("plan"), [])


class Frozen(OnAVirtualGpu):
    def test_leaves_the_gpu_to_the_library_and_says_so(self):
        self.assert_facts(self.run_cublas("gemm_ex"), ANSWERED)
        plans = self.folder / "cache" / "host.plans"
        reading, writing = os.pipe()
        os.close(writing)
        self.addCleanup(os.close, reading)
        done = self.run_cublas("vendor", options=["--mode", "frozen", "--plans", str(plans)], stdin=reading)
        self.assert_facts(done, RIGHT)
        self.assertEqual((done.report["answered"], done.stderr.count("\n")), (0, 1))
        self.assertIn(f"{plans} names plans for a GPU", done.stderr)
        self.assertIn("no plans on a GPU", done.report["problems"][0]["remark"])


class Watching(OnAVirtualGpu):
    """A plan has to stay faster than the library in the program, by events around calls of both."""

    def test_plan_that_is_slower_in_the_program_is_withdrawn(self):
        done = self.run_cublas("drift", 16)
        self.assert_facts(done, {**ANSWERED, "is_withdrawn": 1})
        self.assertIn("problem=", self.events("withdrawn")[0])

    def test_plan_that_stays_faster_is_kept(self):
        done = self.run_cublas("steady", 16)
        self.assert_facts(done, {**ANSWERED, "is_withdrawn": 0})
        self.assertEqual(self.events("withdrawn"), [])
        # The library was asked now and then, or nothing was watched.
        by_vendor = done.report["calls"] - done.report["answered"]
        self.assertGreater(by_vendor, 20)

    def test_nothing_is_withdrawn_where_events_say_nothing(self):
        self.assert_facts(self.run_cublas("gemm_ex", 16), ANSWERED)
        done = self.run_cublas("drift", 16, {"TRIODE_VGPU_FAULTS": "cuEventElapsedTime=400"})
        self.assert_facts(done, {**ANSWERED, "is_withdrawn": 0})


class Triton(OnAVirtualGpu):
    settings = {**OnAVirtualGpu.settings, "TRIODE_PYTHON": ""}

    def test_real_triton_compiles_what_answers(self):
        for how in ("gemm_ex", "lt", "lt_relu"):
            with self.subTest(how):
                self.assert_facts(self.run_cublas(how, 64), ANSWERED)
                self.assertIn("num_warps", self.events("plan")[-1])


class Faults(OnAVirtualGpu):
    """What goes wrong with candidates stays with the worker, and what goes wrong with a plan is the vendor's to
    answer: the program sees right numbers and nothing else."""

    def assert_vendor_stays(self, reason: str, fault: str):
        done = self.run_until(lambda: self.events("vendor-stays"), {"TRIODE_VGPU_FAULTS": fault})
        self.assert_by_vendor(done)
        self.assertEqual(self.events("plan"), [])
        self.assertIn(reason, self.events("vendor-stays")[0])

    def test_candidate_that_makes_the_gpu_fault(self):
        self.assert_vendor_stays("CUDA_ERROR_ILLEGAL_ADDRESS", "cuLaunchKernel=700")
        status = json.loads(self.tuner("status", "--json").stdout)
        self.assertGreaterEqual(status["lost_workers"], 2, "one for each candidate")

    def test_launch_out_of_resources(self):
        self.assert_vendor_stays("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "cuLaunchKernel=701")

    def test_module_that_is_not_loaded(self):
        self.assert_vendor_stays("CUDA_ERROR_INVALID_PTX", "cuModuleLoadDataEx=218")

    def test_known_plan_that_does_not_load_in_the_program(self):
        self.assert_facts(self.run_cublas("gemm_ex"), ANSWERED)
        done = self.run_known_plan("cuModuleLoadDataEx=218")
        self.assert_by_vendor(done)
        self.assertIn("CUDA_ERROR_INVALID_PTX", done.report["problems"][0]["remark"])

    def test_known_plan_that_is_not_launched_in_the_program(self):
        self.assert_facts(self.run_cublas("gemm_ex"), ANSWERED)
        for fault, answered in (("cuLaunchKernel=701", 0), ("cuLaunchKernel=701@5", 4)):
            with self.subTest(fault):
                done = self.run_known_plan(fault)
                self.assert_facts(done, RIGHT)
                self.assertEqual((done.report["answered"], done.stderr), (answered, ""))

    def run_known_plan(self, fault: str):
        """A program for some seconds, or longer until it has heard of the plan."""
        end = time.monotonic() + PATIENCE_S
        seconds = 1
        while True:
            stop = time.monotonic() + seconds
            done = self.run_until(lambda: time.monotonic() > stop, {"TRIODE_VGPU_FAULTS": fault})
            row = done.report["problems"][0]
            if row["config"] or row["remark"] or time.monotonic() > end:
                return done
            seconds *= 2

    def test_context_that_is_lost_in_the_program(self):
        self.assert_facts(self.run_cublas("lost"), {**ANSWERED, "hears_of_it": 1})


class WithoutAPart(OnAVirtualGpu):
    """What Answers shows depends on each part: without the one the vendor answers."""

    def test_without_a_compiler(self):
        # Its worker ends at once; NVRTC does not step in for what Triton is there for.
        done = self.run_until(lambda: self.events("vendor-stays"), {"TRIODE_PYTHON": "/bin/false"})
        self.assert_by_vendor(done)
        self.assertIn("Triton", self.events("vendor-stays")[0])
        self.assertEqual(json.loads(self.tuner("status", "--json").stdout)["failed_trials"], 0)
        # Which says nothing of any kernel: once it is there, all goes well.
        self.assertEqual(self.tuner("stop").returncode, 0)
        self.assert_facts(self.run_cublas("gemm_ex", variables={"TRIODE_PYTHON": ""}), ANSWERED)

    def test_without_plans_from_the_tuner(self):
        self.assert_facts(self.run_cublas("gemm_ex"), ANSWERED)
        tuner = json.loads(self.tuner("status", "--json").stdout)["pid"]
        os.kill(tuner, signal.SIGSTOP)
        self.addCleanup(os.kill, tuner, signal.SIGCONT)
        stop = time.monotonic() + 3
        done = self.run_until(lambda: time.monotonic() > stop)
        self.assert_facts(done, RIGHT)
        self.assertEqual(done.report["answered"], 0)
        self.assertGreater(done.report["calls"], 20)

    def test_without_an_executor(self):
        done = self.run_until(lambda: self.events("vendor-stays"),
                              {"TRIODE_VGPU_FAULTS": "cuLaunchKernel=999"})
        self.assert_by_vendor(done)


if __name__ == "__main__":
    unittest.main()
