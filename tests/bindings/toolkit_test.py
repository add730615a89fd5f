# SPDX-License-Identifier: Apache-2.0
"""diode's toolkit as users run it, on made-up timings and on this CPU. TRIODE_BIN holds the programs."""

import gzip
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from triode.toolkit import predictions, programs
from triode.toolkit.commands import COMMANDS, help_of
from triode.toolkit.reports import text_of
from triode.types import Dataset, MMShape, OperationShapeSet, Table, TritonGEMMConfig, read_file, write_file

BIN = Path(os.environ["TRIODE_BIN"])
QUICK = ["--num-epochs", "2", "--members", "1", "--quiet"]
PNG = b"\x89PNG\r\n\x1a\n"
TINY = ["--max-size", "64", "--configs", "4", "--trial-ms", "0.5", "--operations", "mm", "--quiet"]


def config(tile, warps):
    return TritonGEMMConfig(
        name="mm_config", grid=1, block_m=tile, block_n=tile, block_k=32, group_m=8, num_stages=3, num_warps=warps
    )


def timings(count, hardware="NVIDIA H100", operation="mm", seed=5):
    """Larger tiles are the faster the larger the problem."""
    draw = random.Random(seed)
    made = Dataset()
    for _ in range(count):
        m, n, k = (64 * draw.randint(1, 40) for _ in range(3))
        for tile in (32, 64, 128):
            for warps in (2, 4, 8):
                ms = 0.01 + m * n * k * (1 / tile + 1 / warps) * 1e-11
                made.add_timing(hardware, operation, MMShape.plain(m, n, k, "float16"), config(tile, warps), ms)
    return made


class Toolkit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.data = self.folder / "data.json"
        write_file(self.data, timings(24))

    def run_mode(self, *words, check=True):
        """By `triode`, as users do."""
        done = subprocess.run([BIN / "triode", *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def told(self, *words):
        return json.loads(self.run_mode(*words, "--json").stdout)

    def test_train_writes_model_curves_and_statistics(self):
        command = ["train", "--dataset", self.data, "--model", "one.snapshot", "--log-dir", "logs", *QUICK]
        told = self.told(*command)
        self.assertEqual(told["problems"] + told["held_out"], 24)
        self.assertGreater(told["held_out"], 0)
        self.assertEqual(told["held_out_shapes"]["problems"], told["held_out"])
        for picture in ("training_curves.png", "predicted_vs_measured.png"):
            self.assertTrue((self.folder / "logs" / picture).read_bytes().startswith(PNG))
        statistics = json.loads((self.folder / "logs/held_out_statistics.json").read_text())
        self.assertGreater(statistics["log_rmse"], 0)
        self.assertEqual(len(statistics["worst"]), 10)
        page = (self.folder / "logs/report.html").read_text()
        self.assertEqual(page.count("src=\"data:image/png;base64,"), 2)
        self.assertIn(told["digest"], page)
        self.assertIn("regret of the model&#x27;s first N", page)
        history = json.loads((self.folder / "logs/training_history.json").read_text())
        self.assertEqual([row["epoch"] for row in history["rank"]], [1, 2])
        # The same seed gives the same model to the bit.
        again = self.told(*command[:4], "two.snapshot", *command[5:], "--no-plots")
        self.assertNotIn("<img", (self.folder / "logs/report.html").read_text())
        self.assertEqual(again["digest"], told["digest"])
        self.assertEqual((self.folder / "one.snapshot").read_bytes(), (self.folder / "two.snapshot").read_bytes())

    def test_train_takes_every_option_and_filters(self):
        (self.folder / "many").mkdir()
        write_file(self.folder / "many/a.msgpack", timings(8))
        write_file(self.folder / "many/b.json", timings(6, "NVIDIA A100-SXM4-40GB", seed=6))
        write_file(self.folder / "many/c.json", timings(5, operation="addmm", seed=7))
        base = ["train", "--data-dir", "many", "--hold-out", "0", "--no-plots", "--members", "1", "--quiet"]
        deep = ["--model-type", "deep", "--hidden-dim", "8", "--num-layers", "2", "--batch-size", "4"]
        rates = ["--learning-rate", "0.01", "--weight-decay", "0", "--patience", "1", "--num-epochs", "30"]
        told = self.told(*base, *deep, *rates)
        self.assertEqual((told["problems"], told["held_out"]), (19, 0))
        history = json.loads((self.folder / "logs/training_history.json").read_text())
        self.assertLess(len(history["rank"]), 30)
        card = self.run_mode("model", "show", "matmul_model.snapshot").stdout
        self.assertIn("hidden=8x8 silu epochs=30 batch=4 lr=0.01 decay=0", card)
        short = [*base, "--num-epochs", "1"]
        json_files = ["--file-extensions", "json"]
        self.assertEqual(self.told(*short, *json_files, "--hardware-name", "NVIDIA H100")["problems"], 5)
        self.assertEqual(self.told(*short, "--op-name", "mm", "--hardware-name", "a100")["problems"], 6)
        none = self.run_mode(*short, "--hardware-name", "B200", check=False)
        self.assertEqual(none.returncode, 1)
        self.assertIn("no timings of B200, any operation; there are of\n  a100 mm\n  h100 addmm", none.stderr)

    def test_validate_model_agrees_with_eval(self):
        options = ["--top-n-worst", "3", "--log-dir", "v"]
        told = self.told("validate-model", "--model", "gpu", "--dataset", self.data, *options)
        self.assertEqual((told["problems"], told["timings"], len(told["worst"])), (24, 216, 3))
        factors = [row["factor_off"] for row in told["worst"]]
        self.assertEqual(factors, sorted(factors, reverse=True))
        judged = json.loads(
            subprocess.run(
                [BIN / "triode-eval", "--data", self.data, "--no-peers", "--json", "--quiet", "--k", "1,5"],
                capture_output=True,
                check=True,
            ).stdout
        )
        for count in ("1", "5"):
            self.assertAlmostEqual(
                told["regret"][count]["geomean"], judged["regret"]["h100"][count]["geomean"], places=6
            )
        self.assertTrue((self.folder / "v/predicted_vs_measured.png").read_bytes().startswith(PNG))
        self.assertIn("data:image/png", (self.folder / "v/report.html").read_text())

    def test_validate_max_autotune_compares_with_a_set(self):
        (self.folder / "set.json").write_text(
            json.dumps({"name": "max-autotune", "configs": [config(32, 2).to_dict(), config(64, 4).to_dict()]})
        )
        command = ["validate-max-autotune", "--model", "gpu", "--dataset", self.data]
        told = self.told(*command, "--max-autotune-solution", "set.json")
        written = json.loads((self.folder / "model_performance_analysis_by_op.json").read_text())
        self.assertEqual(set(written["per_op"]), {"mm"})
        self.assertEqual(set(written["overall"]), {f"top_{n}" for n in (1, 5, 10, 20, 50, 100, 500)})
        best = written["overall"]["top_500"]
        self.assertEqual(best["shapes_analyzed"], 24)
        # The set lacks the fastest tile, which the model's first five hundred hold.
        self.assertEqual(best["performance_breakdown"]["model_better"]["count"], 24)
        self.assertEqual(told["regret"]["500"]["geomean"], 1)
        self.assertEqual(told["regret"]["1"]["n"], 24)
        table = self.run_mode(*command).stdout
        self.assertRegex(table, r"\n\s+500\s+24\s+1\.0000")
        (self.folder / "set.json").write_text('{"mm": {"config": [{"block_m": 1}]}}')
        refused = self.run_mode(*command, "--max-autotune-solution", "set.json", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("config[0] lacks", refused.stderr)

    def test_model_example(self):
        told = self.told("model-example", "--dataset", self.data, "--model-dir", "models", "--no-plots", *QUICK)
        self.assertTrue((self.folder / "models/matmul_model.snapshot").is_file())
        self.assertEqual(len(told["choices"]), 5)
        for choice in told["choices"]:
            self.assertGreaterEqual(choice["measured_ms"], choice["best_ms"])

    def test_convert_there_and_back(self):
        before = self.data.read_bytes()
        self.run_mode("convert", "--input-files", "data.json")
        self.assertEqual((self.folder / "data.msgpack").read_bytes(), timings(24).to_msgpack())
        refused = self.run_mode("convert", "--input-files", "data.msgpack", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("data.json is there already; give --overwrite", refused.stderr)
        self.data.unlink()
        self.run_mode("convert", "--input-files", "data.msgpack", "--overwrite")
        self.assertEqual(self.data.read_bytes(), before)
        write_file(self.folder / "table.json", timings(1).to_table())
        self.run_mode("convert-json-to-msgpack", "--input-files", "table.json", "--output-dir", "packed")
        self.assertIsInstance(read_file(self.folder / "packed/table.msgpack", Table), Table)

    def test_the_cache_takes_what_is_written_and_gives_it_back(self):
        cache = ["--cache", self.folder / "cache", "--quiet"]
        self.run_mode("cache", "import", self.data, *cache)
        back = self.run_mode("cache", "export", "--format", "diode-dataset", *cache).stdout
        self.assertEqual(Dataset.deserialize(back), timings(24))

    def test_wrong_usage(self):
        for words, code, reason in (
            (["convert"], 2, "--input-files"),
            (["validate-model", "--model", "gpu"], 2, "--dataset"),
            (["train", "--dataset", "x", "--data-dir", "y"], 2, "not allowed with"),
            (["train", "--dataset", self.data, "--model-type", "base", "--num-layers", "3"], 2, "--model-type deep"),
            (["train", "--data-dir", "nowhere"], 2, "is no folder"),
            (["train", "--dataset", "none.json"], 1, "cannot read none.json"),
            (["collect", "--num-shapes", "0"], 1, "at least one shape"),
            (["collect", "--output", "x.csv"], 2, "must end in .json"),
            (["collect", "--output", "x.trials.gz", "--search-mode", "max-autotune"], 2, "--search-mode is of torch"),
            (["collect", "--device", "cuda", "--output", "x.trials.gz"], 2, "holds timings of a CPU"),
            (["collect-shapeset", "--shapeset", self.data], 1, "is a Dataset, where a OperationShapeSet"),
            (["toolkit", "sing"], 2, "'sing' is no mode; there are collect"),
        ):
            done = self.run_mode(*words, check=False)
            self.assertEqual(done.returncode, code, (words, done.stderr))
            self.assertIn(reason, done.stderr)

    def test_help_names_every_option(self):
        for mode in COMMANDS:
            self.assertIn(f"# triode {mode}", help_of(mode))
        text = self.run_mode("toolkit", "--help").stdout
        sources = "".join(path.read_text() for path in Path(predictions.__file__).parent.glob("*.py"))
        for option in set(re.findall(r'add_argument\(\s*"(--[a-z-]+)"', sources)):
            self.assertIn(option, text)
        self.assertIn('"version"', self.run_mode("convert", "--version", "--json").stdout)


class Collect(unittest.TestCase):
    """Real, on this CPU."""

    setUp = Toolkit.setUp
    run_mode = Toolkit.run_mode
    told = Toolkit.told

    def test_goes_on_after_kill_9(self):
        words = ["collect", "--num-shapes", "8", "--output", "cpu.trials.gz", *TINY]
        words += ["--trial-ms", "20", "--configs", "40"]
        first = subprocess.Popen(
            [BIN / "triode", *words], cwd=self.folder, stdout=subprocess.DEVNULL, start_new_session=True
        )
        while not (self.folder / "cpu.cache").exists() and first.poll() is None:
            time.sleep(0.01)
        time.sleep(0.2)
        self.assertIsNone(first.poll(), "it was done before it could be killed")
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
        told = self.told(*words)
        self.assertEqual(told["problems"], 8)
        self.assertEqual(told["known"] + told["measured"], 8 * 40)
        self.assertEqual(self.told(*words)["measured"], 0)

    def test_chunks_and_seeds(self):
        words = ["collect", "--num-shapes", "3", "--output", "cpu.trials.gz", "--chunk-size", "2", *TINY]
        shapes = self.chunks_of_undisturbed(*words)
        self.assertEqual([len(one) for one in shapes], [2, 1])
        self.run_mode("create-validation", "--num-shapes", "3", "--output", "val.trials.gz", *TINY)
        self.assertFalse(self.shapes("val.trials.gz") & (shapes[0] | shapes[1]))

    def test_a_cache_that_holds_more_gives_what_was_planned(self):
        words = ["--cache", "shared", "--chunk-size", "2", "--threads", "1", *TINY]
        shapes = self.chunks_of_undisturbed("collect", "--num-shapes", "3", "--output", "cpu.trials.gz", *words)
        self.assertEqual([len(one) for one in shapes], [2, 1])
        self.assertFalse(shapes[0] & shapes[1])
        self.run_mode("create-validation", "--num-shapes", "2", "--output", "val.trials.gz", "--cache", "shared", *TINY)
        self.assertLessEqual(len({shape.split(" threads=")[0] for shape in self.shapes("val.trials.gz")}), 2)
        self.assertFalse(self.shapes("val.trials.gz") & (shapes[0] | shapes[1]))

    def test_validation_without_the_shapes_of_files(self):
        words = ["create-validation", "--num-shapes", "3", *TINY]
        self.run_mode(*words, "--output", "one.trials.gz")
        told = self.told(*words, "--output", "two.trials.gz", "--exclude", "one.trials.gz", self.data)
        self.assertEqual(told["problems"], 3)
        self.assertFalse(self.shapes("one.trials.gz") & self.shapes("two.trials.gz"))
        (self.folder / "bad.trials.gz").write_bytes(b"no trials")
        refused = self.run_mode(*words, "--exclude", "bad.trials.gz", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("bad.trials.gz cannot be read as trials", refused.stderr)

    def test_one_cache_for_training_and_validation(self):
        counts = ["--num-shapes", "10", "--validation-shapes", "3", "--cache", "shared", "--threads", "1"]
        told = self.told("collect-and-train", *counts, *TINY, *QUICK, "--no-plots")
        self.assertEqual(told["training"]["problems"] + told["training"]["held_out"], 10)
        self.assertEqual(told["validation"]["problems"], 3)
        self.assertFalse(self.shapes("matmul_dataset.trials.gz") & self.shapes("matmul_validation_dataset.trials.gz"))

    def test_collector_examples(self):
        for mode, words, shapes in (
            ("collector-basic-example", [], 1),
            ("collector-example", ["--use-context-manager", "--num-shapes", "2", "--format", "msgpack"], 2),
        ):
            told = self.told(mode, "--device", "cpu", "--output-dir", mode, *words)
            dataset = read_file(self.folder / told["dataset"], Dataset)
            self.assertEqual(len(list(dataset.solutions())), shapes)
            self.assertEqual(len(list(dataset.timings())), told["timings"])
            self.assertEqual(read_file(self.folder / told["table"], Table), dataset.to_table())

    def test_shapes_of_a_set(self):
        shapes = OperationShapeSet()
        shapes.add_shape("mm", MMShape.plain(24, 40, 56, "float32"))
        shapes.add_shape("bmm", MMShape.plain(8, 8, 8, "float16", batch=4))
        write_file(self.folder / "set.json", shapes)
        self.run_mode("collect-shapeset", "--shapeset", "set.json", "--output", "set.trials.gz", "--configs", "3",
                      "--trial-ms", "0.5", "--operations", "mm", "--quiet")
        self.assertEqual(self.shapes("set.trials.gz"), {"mm f32 24x40x56 nn"})

    def test_shapes_of_a_set_that_take_too_long_are_told_of(self):
        shapes = OperationShapeSet()
        for size in (24, 512):
            shapes.add_shape("mm", MMShape.plain(size, size, size, "float32"))
        write_file(self.folder / "set.json", shapes)
        command = ["collect-shapeset", "--shapeset", "set.json", "--output", "set.trials.gz", "--configs", "2",
                   "--trial-ms", "0.5", "--quiet", "--most-flops"]
        said = self.run_mode(*command, "1e6").stderr
        self.assertIn("1 of 2 shapes of set.json take more than 1e+06 flops and are left out", said)
        self.assertEqual(self.shapes("set.trials.gz"), {"mm f32 24x24x24 nn"})
        none = self.run_mode(*command, "100", check=False)
        self.assertEqual(none.returncode, 1)
        self.assertIn("2 of 2 shapes of set.json take more than 100 flops; --most-flops F allows more", none.stderr)

    def test_collect_and_train(self):
        counts = ["--num-shapes", "10", "--validation-shapes", "3"]
        told = self.told("collect-and-train", *counts, *TINY, *QUICK, "--no-plots")
        self.assertEqual(told["training"]["problems"] + told["training"]["held_out"], 10)
        self.assertEqual(told["validation"]["problems"], 3)
        again = self.told("collect-and-train", "--skip-collection", "--skip-validation", *TINY, *QUICK, "--no-plots")
        self.assertEqual(list(again), ["training"])
        self.assertEqual(again["training"]["digest"], told["training"]["digest"])

    def chunks_of_undisturbed(self, *words):
        """The shapes of both chunks. Those that a busy machine disturbed are left out of a file: collects anew then."""
        for _ in range(20):
            shutil.rmtree(self.folder / "shared", ignore_errors=True)
            for cache in self.folder.glob("cpu_*.cache"):
                shutil.rmtree(cache)
            self.run_mode(*words)
            shapes = [self.shapes("cpu_1.trials.gz"), self.shapes("cpu_2.trials.gz")]
            if sum(map(len, shapes)) >= 3:
                break
        return shapes

    def shapes(self, name):
        lines = gzip.decompress((self.folder / name).read_bytes()).decode().splitlines()
        return {line.split("\t")[1] for line in lines if line.startswith("problem\t")}


class Predictions(unittest.TestCase):
    TEXT = "\n".join(
        [
            "device\tsource\tproblem\tconfig\tmeasured_ms\tpredicted_ms\tplace\tvendor_ms",
            "h100\td\tmm f16 1x2x3 nn\tblock_m=64 isa=avx2\t2\t4\t1\t",
            "h100\td\tmm f16 1x2x3 nn\tblock_m=32\t1\t1\t2\t",
            "h100\td\tbmm f16 4x1x2x3 nn\tblock_m=16\t\t3\t1\t",
            "h100\td\tbmm f16 4x1x2x3 nn\tblock_m=8\t5\t\t2\t",
        ]
    )

    def test_statistics(self):
        said = predictions.read_predictions(self.TEXT)
        self.assertEqual([problem.operation for problem in said], ["mm", "bmm"])
        self.assertEqual(said[0].configs[0].parameters(), {"block_m": 64})
        told = predictions.statistics(said)
        self.assertEqual((told["problems"], told["timings"]), (2, 2))
        self.assertAlmostEqual(told["log_rmse"], math.log(2) / math.sqrt(2))
        self.assertAlmostEqual(told["factor_off"]["p50"], 1.5)
        self.assertEqual(predictions.statistics([])["timings"], 0)
        self.assertAlmostEqual(predictions.worst(said, 1)[0]["factor_off"], 2)

    def test_regret(self):
        said = predictions.read_predictions(self.TEXT)
        table = predictions.regret_table(said, (1, 2))
        self.assertAlmostEqual(table[1]["geomean"], math.sqrt(2 * 100))
        self.assertEqual((table[2]["geomean"], table[2]["worst"], table[2]["n"]), (1, 1, 2))


class Reports(unittest.TestCase):
    def test_figures_of_a_row_stand_before_what_they_are_of_by_name(self):
        told = {"worst": [{"problem": "mm f32 8x8x8 nn", "measured_ms": 0.5, "factor_off": 2.0}]}
        self.assertEqual(text_of(told), "worst:\n  measured_ms 0.5, factor_off 2, mm f32 8x8x8 nn")


class Programs(unittest.TestCase):
    def test_a_program_that_is_not_there_is_told_of_with_what_it_takes(self):
        with mock.patch.object(programs.shutil, "which", return_value=None):
            for name, reason in (("eval", "no program triode-eval, as torch was not there when"), ("collect", "; build")):
                with self.assertRaisesRegex(programs.Failure, reason):
                    programs.program(name)


class Imports(unittest.TestCase):
    def test_torch_is_not_imported(self):
        self.assertNotIn("torch", sys.modules)


if __name__ == "__main__":
    unittest.main()
