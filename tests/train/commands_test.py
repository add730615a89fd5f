# SPDX-License-Identifier: Apache-2.0
"""`triode train` and `triode eval` as users run them, on a few made-up timings. TRIODE_BIN holds both."""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["TRIODE_BIN"])
COLUMNS = ("device,dataset,m,n,k,dtype_a,dtype_b,sa0,sa1,sb0,sb1,tf32,kind,block_m,block_n,block_k,"
           "num_stages,num_warps,nreps,n_nonfinite,med_ms,min_ms,max_ms")
QUICK = ["--members", "1", "--epochs", "2", "--quiet"]
NO_PEERS = [*QUICK, "--no-peers"]


def timings(count: int) -> str:
    """Problems of which larger tiles are the faster the larger the problem."""
    draw = random.Random(5)
    lines = [COLUMNS]
    for number in range(count):
        m, n, k = (64 * draw.randint(1, 40) for _ in range(3))
        dataset = "a100_mm" if number % 3 else "a100_hf_train"
        head = f"A100,{dataset},{m},{n},{k},float16,float16,{k},1,{n},1,not_float_32"
        lines.append(f"{head},extern_mm,,,,,,3,0,0.05,0.05,0.05")
        for tile in (32, 64, 128):
            for warps in (2, 4, 8):
                ms = 0.01 + m * n * k * (1 / tile + 1 / warps) * 1e-11
                lines.append(f"{head},triton,{tile},{tile},32,3,{warps},3,0,{ms},{ms},{ms}")
    return "\n".join(lines) + "\n"


NV_MATMUL_HEURISTICS = """
import types
NvMatmulHeuristicsNvidiaGpu = types.SimpleNamespace(A100_SXM_80GB=1, H100_SXM=2)
NvMatmulHeuristicsTarget = types.SimpleNamespace(TRITON=3)
boolsToNvMatmulHeuristicsLayout = lambda a, b: 0
class NvMatmulHeuristicsInterface:
    def __init__(self, target, precision): pass
    def createHardwareDescriptor(self): return 1
    def setHardwarePredefinedGpu(self, hardware, gpu): pass
    def get_with_mnk(self, m, n, k, layout, count, hardware):
        return [{"runtime": 1, "kernel": types.SimpleNamespace(cta_tile_m=128, cta_tile_n=128, cta_tile_k=32,
                 warp_tile_m=64, warp_tile_n=32, stages=3)}]
"""


def run(*arguments: str, environment: dict | None = None) -> subprocess.CompletedProcess:
    return subprocess.run([BIN / arguments[0], *arguments[1:]], capture_output=True, text=True,
                          env={**os.environ, **(environment or {})})


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.data = os.path.join(folder.name, "timings.csv.gz")
        self.snapshot = os.path.join(folder.name, "made.snapshot")
        with gzip.open(self.data, "wt") as file:
            file.write(timings(30))

    def test_trained_snapshot_is_judged_and_learns(self):
        trained = run("triode-train", "--data", self.data, "--output", self.snapshot, "--json", *QUICK)
        self.assertEqual((trained.returncode, trained.stderr), (0, ""))
        self.assertEqual(json.loads(trained.stdout)["problems"], 30)
        judged = run("triode-eval", "--data", self.data, "--model", self.snapshot, "--online", "--json",
                     "--k", "1,3", "--quiet", "--no-peers")
        self.assertEqual(judged.returncode, 0, judged.stderr)
        report = json.loads(judged.stdout)
        self.assertEqual(report["models"], [json.loads(trained.stdout)["digest"]])
        self.assertEqual(set(report["baselines"]), {"random", "static", "analytical"})
        for part in (report["regret"], report["with_vendor"], report["baselines"]["random"]):
            self.assertEqual(set(part["a100"]), {"1", "3"})
            self.assertEqual(set(part["a100"]["1"]), {"geomean", "p90", "p99", "worst", "n"})
            self.assertGreaterEqual(part["a100"]["1"]["geomean"], 1)
        self.assertEqual(report["regret"]["a100"]["1"]["n"], 30)
        self.assertEqual(len(report["online"]["learning"]["a100"]["by_timings"]), 3)

    def test_grouped_split_judges_every_problem_once_and_repeats(self):
        command = ["triode-eval", "--data", self.data, "--split", "grouped", "--json", *NO_PEERS]
        report = json.loads(run(*command).stdout)
        self.assertEqual(report["regret"]["a100"]["1"]["n"], 30)
        self.assertEqual(len(report["regret"]["a100"]["1"]["folds"]), 4)
        self.assertEqual(len(report["split"]["digest"]), 64)
        self.assertEqual(json.loads(run(*command).stdout), report)

    def test_text_tells_percentiles_and_worst_by_type_and_operation(self):
        text = run("triode-eval", "--data", self.data, "--split", "shift", "--k", "1", *NO_PEERS).stdout
        self.assertIn("a100: regret, geometric mean/90th/99th percentile/worst, of 10 problems", text)
        for name in ("model", r"model, f16 \(10\)", r"model, mm \(10\)", "static"):
            self.assertRegex(text, rf"(?m)^  {name} +k=1 \d\.\d{{4}}(/\d+\.\d{{3}}){{3}}$")

    def test_shift_split_judges_the_shapes_of_models(self):
        report = json.loads(run("triode-eval", "--data", self.data, "--split", "shift", "--json", *NO_PEERS).stdout)
        self.assertEqual(report["regret"]["a100"]["1"]["n"], 10)

    def test_peers_are_judged_or_said_to_be_missing(self):
        Path(self.folder, "lightgbm.py").write_text("raise ImportError('made up')\n")
        # Proposes one config, as far as the peer's own interface is used.
        Path(self.folder, "nvMatmulHeuristics.py").write_text(NV_MATMUL_HEURISTICS)
        report = json.loads(run("triode-eval", "--data", self.data, "--split", "shift", "--json", "--k", "1", *QUICK,
                                "--python", sys.executable, environment={"PYTHONPATH": self.folder}).stdout)
        baselines = report["baselines"]
        self.assertEqual(baselines["lightgbm"], {"missing": "pip install lightgbm (made up)"})
        self.assertEqual(baselines["nvmatmulheuristics"]["a100"]["1"]["n"], 10)
        self.assertIn(set(baselines["autoheuristic"]), [{"a100"}, {"missing"}])

    def test_baselines_are_judged_on_the_held_out_problems_as_the_model_is(self):
        run("triode-train", "--data", self.data, "--output", self.snapshot, "--hold-out", "3", *QUICK)
        report = json.loads(run("triode-eval", "--data", self.data, "--model", self.snapshot, "--hold-out", "3",
                                "--json", "--quiet", "--no-peers").stdout)
        n = report["regret"]["a100"]["1"]["n"]
        self.assertLess(n, 30)
        for name in ("random", "analytical", "static"):
            self.assertEqual(report["baselines"][name]["a100"]["1"]["n"], n, name)

    def test_what_the_model_knows_nothing_of_is_passed_over_and_said(self):
        run("triode-train", "--data", self.data, "--output", self.snapshot, *QUICK)
        # Two problems of another type, and a file of another kernel.
        mixed = os.path.join(self.folder, "mixed.csv")
        lines = timings(4).splitlines()
        rows = [line.replace("float16", "bfloat16") for line in lines[1:21]]
        Path(mixed).write_text("\n".join([lines[0], *rows, *lines[21:]]) + "\n")
        squares = os.path.join(self.folder, "squares.csv")
        Path(squares).write_text("m,n,k,block_m,block_n,block_k,group_m,num_stages,num_warps,ok,ms,compile_s\n"
                                 "64,64,64,32,32,32,8,3,4,1,0.5,1\n64,64,64,64,32,32,8,3,4,1,0.4,1\n")
        judge = ["triode-eval", "--model", self.snapshot, "--online", "--no-peers", "--quiet"]
        report = json.loads(run(*judge, "--data", mixed, "--json").stdout)
        self.assertEqual(report["regret"]["a100"]["1"]["n"], 2)
        self.assertEqual(report["baselines"]["static"]["a100"]["1"]["n"], 2)
        self.assertEqual(report["passed_over"]["a100"]["n"], 2)
        self.assertIn("bf16", report["passed_over"]["a100"]["why"])
        none = run(*judge, "--data", squares, "--device", "a100")
        self.assertEqual(none.returncode, 0, none.stderr)
        self.assertIn("a100: 1 problems passed over", none.stdout)
        self.assertIn("no triton kernel was trained", none.stdout)

    def test_errors_say_what_to_do(self):
        missing = run("triode-eval", "--data", self.data, "--model", "nobody")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("share/triode/snapshots/nobody.snapshot", missing.stderr)
        self.assertEqual(run("triode-train", "--data", self.data).returncode, 2)
        self.assertEqual(run("triode-eval", "--split", "odd").returncode, 2)


if __name__ == "__main__":
    unittest.main()
