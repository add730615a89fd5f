# SPDX-License-Identifier: Apache-2.0
"""What is broken in torch-diode 0.1.1, each as a test that it fails. Without torch: stand-ins offer what Inductor's
objects offer. docs/coming-from-diode.md lists them."""

import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from collection_test import Timings, matmul_inputs, template
from collection_test import choice as timed_choice
from selection_test import A100, VENDOR, Inputs, choice, selection, templates
from triode import _triode
from triode._models import find_model
from triode.collection import MatmulCollector, ShapeOptions, planned_shapes
from triode.collection.shapes import VALIDATION, group_of
from triode.compat import diode
from triode.toolkit.predictions import read_predictions, statistics
from triode.types import Dataset, MMShape, TritonGEMMConfig, write_file

BIN = Path(os.environ["TRIODE_BIN"])


def made_up_timings(path):
    """Shapes and their transposes; time follows work, tile and warps."""
    draw = random.Random(3)
    data = Dataset()
    for _ in range(20):
        sizes = [64 * draw.randint(1, 40) for _ in range(3)]
        for m, n, k in (sizes, sizes[::-1]):
            for tile_m in (16, 32, 64, 128):
                for tile_n in (16, 32, 64, 128):
                    for warps in (2, 4, 8):
                        config = TritonGEMMConfig(
                            name="c",
                            grid=1,
                            block_m=tile_m,
                            block_n=tile_n,
                            block_k=32,
                            group_m=8,
                            num_stages=3,
                            num_warps=warps,
                        )
                        ms = 0.01 + m * n * k * (1 / tile_m + 1 / tile_n + 0.1 / warps) * 1e-10
                        data.add_timing("NVIDIA H100", "mm", MMShape.plain(m, n, k, "float16"), config, ms)
    write_file(path, data)


class Trained(unittest.TestCase):
    """Defects 1, 7 and 10: what a training gives on shapes that it held out."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.data, cls.model = Path(folder.name) / "data.json", Path(folder.name) / "m.snapshot"
        cls.told = Path(folder.name) / "told.tsv"
        made_up_timings(cls.data)
        same = ["--data", cls.data, "--hold-out", "4", "--seed", "42", "--json", "--quiet"]
        cls.trained = cls.run_program("train", *same, "--output", cls.model, "--members", "1", "--epochs", "12")
        cls.judged = cls.run_program(
            "eval", *same, "--model", cls.model, "--no-peers", "--k", "1,5", "--predictions", cls.told
        )

    @classmethod
    def run_program(cls, name, *words):
        done = subprocess.run([BIN / f"triode-{name}", *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def test_1_its_first_choice_beats_the_best_of_five_random_ones(self):
        first = self.judged["regret"]["h100"]["1"]["geomean"]
        self.assertLess(first, self.judged["baselines"]["random"]["h100"]["5"]["geomean"])

    def test_7_shapes_and_their_transposes_stand_on_one_side(self):
        held_out = [problem.problem.split()[2] for problem in read_predictions(self.told.read_text())]
        self.assertEqual(len(held_out), self.trained["held_out"])
        turned = {"x".join(size.split("x")[::-1]) for size in held_out}
        self.assertEqual(turned, set(held_out))

    def test_10_times_are_nearer_than_a_factor_of_five(self):
        told = statistics(read_predictions(self.told.read_text()))
        self.assertEqual(told["timings"], self.trained["held_out"] * 48)
        self.assertLess(told["log_rmse"], 1.69)


class Shapes(unittest.TestCase):
    def test_7_validation_draws_other_shapes_under_the_same_seed(self):
        training = {group_of(one.shape) for one in planned_shapes(ShapeOptions(seed=42))}
        validation = {group_of(one.shape) for one in planned_shapes(ShapeOptions(seed=42, purpose=VALIDATION))}
        self.assertFalse(training & validation)

    def test_7_flags_that_diode_ignores_do_something(self):
        sizes = [one.shape for one in planned_shapes(ShapeOptions(rectangular=False, odd_sizes=False))]
        self.assertTrue(all(one.M == one.N == one.K and one.M % 2 == 0 for one in sizes))


class Choosing(unittest.TestCase):
    def test_2_no_size_hints_are_asked_for_and_six_arguments_taken(self):
        chosen = selection()
        chosen.select([VENDOR, *templates()], Inputs(512, 512, 512), "mm")
        self.assertEqual(chosen.counters()["model_selections"], 1)
        collector = MatmulCollector("gpu")
        timings = Timings((timed_choice(matmul_inputs(), template()), 0.5))
        collector._keep(timings, "mm", [], [], lambda: {}, {})
        self.assertEqual([row.time for row in collector.get_dataset().timings()], [0.5])

    def test_4_aten_tma_and_decompose_k_stay(self):
        others = [
            VENDOR,
            choice("triton::mm_persistent_tma", BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, num_stages=3, num_warps=4),
            choice("decompose_k", k_split=4),
        ]
        for top_k in (1, 2):
            kept = selection(top_k=top_k).select([*templates(), *others], Inputs(512, 512, 512), "mm")
            self.assertTrue(all(any(one is other for one in kept) for other in others))

    def test_5_what_is_kept_is_as_inductor_made_it(self):
        given = [VENDOR, *templates()]
        kept = selection(top_k=3).select(given, Inputs(512, 512, 1000), "mm")
        self.assertTrue(all(any(one is other for other in given) for one in kept))
        config = TritonGEMMConfig(
            name="c", grid=1, block_m=64, block_n=64, block_k=128, group_m=8, num_stages=2, num_warps=4, EVEN_K=True
        ).for_shape(MMShape.plain(512, 512, 1000, "float16"))
        self.assertFalse(config.EVEN_K)

    def test_6_sixteen_bits_layout_and_threshold_count(self):
        ranker = _triode.TemplateRanker(str(find_model("gpu")))
        configs = [(m, n, 32, 8, stages, 4) for m in (32, 64, 128) for n in (32, 64, 128) for stages in (2, 3, 4)]

        def best(text):
            return ranker.rank(_triode.Problem.parse(text), A100, configs, 3, 3)

        half, single = best("mm bf16 4096x4096x4096 nn"), best("mm f32 4096x4096x4096 nn")
        self.assertLess(half.best_s, single.best_s / 2)
        plain, odd = best("mm f16 1024x1024x1024 nn"), best("mm f16 1024x1024x1024 tt ld=1031,1031,1031")
        self.assertNotEqual(plain.best_s, odd.best_s)
        wide = selection(top_k=20, threshold=2.0).select(templates(), Inputs(512, 512, 512), "mm")
        narrow = selection(top_k=20, threshold=1.0).select(templates(), Inputs(512, 512, 512), "mm")
        self.assertLess(len(narrow), len(wide))

    def test_6_addmm_and_bmm_are_chosen_for_too(self):
        chosen = selection()
        chosen.select([VENDOR, *templates()], Inputs(512, 512, 512, bias=True), "addmm")
        bmm = templates("triton::bmm")
        strides = (512 * 512, 512, 1)
        inputs = Inputs(512, 512, 512, batch=8, a_strides=strides, b_strides=strides)
        self.assertLess(len(chosen.select(bmm, inputs, "bmm")), len(bmm))
        self.assertEqual(chosen.counters()["model_selections"], 2)

    def test_9_ranking_takes_no_torch(self):
        configs = [
            (m, n, k, 8, stages, warps)
            for m in (16, 32, 64, 128, 256)
            for n in (16, 32, 64, 128, 256)
            for k in (16, 32, 64, 128)
            for stages in (1, 2, 3, 4, 5)
            for warps in (2, 4, 8)
        ]
        ranker = _triode.TemplateRanker(str(find_model("gpu")))
        self.assertTrue(ranker.rank(_triode.Problem.parse("mm f16 1024x1024x1024 nn"), A100, configs, 5, 5).picks)
        self.assertNotIn("torch", sys.modules)


class Runs:
    """A pickle that leaves a file behind when it is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (Path(self.path),))


class Models(unittest.TestCase):
    def test_3_a_model_is_there_and_a_missing_one_is_an_error(self):
        self.assertTrue(diode.get_model_registry().get_existing_models())
        with self.assertRaises(FileNotFoundError):
            diode.install_diode_choices("matmul_model_exhaustive.pt")
        self.assertEqual(diode.get_integration_status()["matmul"]["installed"], {"installed": False})

    def test_8_reading_a_model_runs_no_code(self):
        with tempfile.TemporaryDirectory() as folder:
            model, left = Path(folder) / "model.pt", Path(folder) / "left"
            model.write_bytes(pickle.dumps(Runs(str(left))))
            with self.assertRaises((ValueError, RuntimeError, NotImplementedError, ImportError)):
                diode.create_diode_choices(str(model))
            self.assertFalse(left.exists())

    def test_8_errors_are_raised(self):
        for kind in (diode.Dataset, diode.Table, diode.OperationShapeSet):
            with self.assertRaises(ValueError):
                kind.deserialize("{")
        with self.assertRaises(FileNotFoundError):
            MatmulCollector().load_from_file("/nowhere.json")


if __name__ == "__main__":
    unittest.main()
