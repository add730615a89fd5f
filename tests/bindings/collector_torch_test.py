# SPDX-License-Identifier: Apache-2.0
"""What is collected of real compilations: on this CPU, where times are measured, and for a gpu that is not there,
whose times are made up."""

import os
import tempfile
import unittest
from pathlib import Path

_folder = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
os.environ["TORCHINDUCTOR_CACHE_DIR"] = _folder.name

import torch
import triode
from inductor_test import compile_layers, setUpModule  # noqa: F401  (unittest calls it)
from torch._inductor import select_algorithm
from triode.collection import Planned
from triode.collection.inductor_runs import RunOptions, collect_through_inductor
from triode.types import Dataset, MMShape, read_file


def savers():
    return list(select_algorithm.get_algorithm_selector_cache().feedback_saver_fns)


class PretendedGpu(unittest.TestCase):
    def test_every_template_of_every_op_is_kept(self):
        before = savers()
        with triode.MatmulCollector() as collector:
            _, timed = compile_layers(lambda fields: float(fields["BLOCK_M"]))
        self.assertEqual(savers(), before)
        self.assertEqual((collector.unread, collector.problems), (0, []))
        data = collector.get_dataset()
        self.assertEqual(list(data.hardware), ["NVIDIA A100-SXM4-40GB"])
        found = {operation: shape for _, operation, shape, _ in data.solutions()}
        self.assertEqual(
            found,
            {
                "mm": MMShape.plain(2048, 1024, 1024, "float16"),
                "addmm": MMShape.plain(2048, 1024, 1024, torch.float16),
                "bmm": MMShape.plain(512, 512, 256, torch.float16, batch=8),
            },
        )
        templates = sum(name.startswith("triton") for names in timed for name in names)
        self.assertEqual(sum(1 for _ in data.timings()), templates)
        for row in data.timings():
            self.assertEqual(row.time, row.config.block_m)
            self.assertEqual(row.config.EVEN_K, row.shape.K % row.config.block_k == 0)

    def test_beside_an_installed_model(self):
        with tempfile.TemporaryDirectory() as folder, triode.install(top_k=3, cache=folder):
            with triode.MatmulCollector() as collector:
                compile_layers()
            self.assertEqual(triode.get_stats()["model_selections"], 3)
            self.assertGreater(triode.get_stats()["timings_kept"], 0)
            triode.reset_stats()
            self.assertEqual(triode.get_stats()["model_selections"], 0)
        self.assertLessEqual(sum(1 for _ in collector.get_dataset().timings()), 18)


class Cpu(unittest.TestCase):
    def test_measured_times_go_into_files_and_are_not_taken_again(self):
        planned = [Planned("bmm", MMShape.plain(24, 40, 16, "float32", batch=3))]
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "cpu.json"
            counts = collect_through_inductor(planned, output, RunOptions(quiet=True))
            self.assertEqual((counts.known, counts.skipped), (0, 0))
            self.assertGreaterEqual(counts.timings, 2)
            rows = list(read_file(output, Dataset).timings())
            self.assertEqual({row.shape for row in rows}, {planned[0].shape})
            self.assertIn("bmm", {row.config.name for row in rows})
            self.assertTrue(all(row.time > 0 and row.config.block_m == 0 for row in rows))
            collector = triode.MatmulCollector()
            self.assertEqual(collector.collect(planned, output, quiet=True).known, 1)
            self.assertEqual(list(collector.get_dataset().timings()), rows)

    def test_torchs_own_types_are_taken(self):
        self.assertEqual(MMShape.plain(1, 2, 3, torch.bfloat16).M_dtype, torch.bfloat16)
        self.assertIs(MMShape.plain(1, 2, 3, "half").M_dtype.torch, torch.float16)

    def test_no_gpu_is_said(self):
        if torch.cuda.is_available():
            self.skipTest("there is a gpu")
        with self.assertRaisesRegex(RuntimeError, "no CUDA device"):
            collect_through_inductor([], "x.json", RunOptions(device="cuda"))
        with self.assertRaisesRegex(ValueError, "EXHAUSTIVE, DEFAULT"):
            RunOptions(search_space="ALL")


if __name__ == "__main__":
    unittest.main()
