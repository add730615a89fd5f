# SPDX-License-Identifier: Apache-2.0
"""What is collected of real compilations: on this CPU, where times are measured, and for a gpu that is not there,
whose times are made up."""

import contextlib
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

_folder = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
os.environ["TORCHINDUCTOR_CACHE_DIR"] = _folder.name

import torch
import triode
import torch._inductor.runtime.triton_helpers as triton_helpers
from inductor_test import captured_sources, compile_layers, setUpModule  # noqa: F401  (unittest calls it)
from pretended_gpu import pretended_gpu
from torch._inductor import config, select_algorithm
from torch._inductor.compile_fx import compile_fx
from torch._subclasses.fake_tensor import FakeTensorMode
from triode.collection import Planned
from triode.collection.inductor_runs import RunOptions, collect_through_inductor, compile_and_run
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


    def test_a_collection_asks_for_the_templates_of_its_device(self):
        """All but running the result, for which there is nothing."""

        def backend(module, example_inputs):
            patched = config.patch(max_autotune=True, benchmark_template_fusion=False)
            with pretended_gpu("A100"), patched:
                return compile_fx(module, example_inputs)

        def compile_for(module, mode, dynamic):
            self.assertEqual(mode, "max-autotune-no-cudagraphs")
            return compile_by(module, backend=backend, dynamic=dynamic)

        def benchmark(self, choices, *_, **__):
            return {choice: float(place + 1) for place, choice in enumerate(choices)}

        compile_by = torch.compile
        with contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.object(torch, "compile", compile_for))
            stack.enter_context(
                mock.patch.object(select_algorithm.AlgorithmSelectorCache, "benchmark", benchmark)
            )
            stack.enter_context(triton_helpers.skip_gpu_driver_setup())
            stack.enter_context(captured_sources([]))
            stack.enter_context(FakeTensorMode())
            for operation, batch, dtype in (("addmm", 1, "bfloat16"), ("bmm", 6, "float16")):
                shape = MMShape.plain(256, 512, 1000, dtype, batch)
                with triode.MatmulCollector() as collector:
                    options = RunOptions(device="cuda", search_space="DEFAULT")
                    compile_and_run(Planned(operation, shape), options)
                rows = list(collector.get_dataset().timings())
                self.assertGreater(len(rows), 10)
                self.assertEqual({(row.operation, row.shape) for row in rows}, {(operation, shape)})
                self.assertTrue(all(row.config.EVEN_K == (1000 % row.config.block_k == 0) for row in rows))


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
