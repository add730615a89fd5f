# SPDX-License-Identifier: Apache-2.0
"""What `triode cache export` writes, read by the tools whose formats it is in.

Inductor and Triton come with torch, Kernel Tuner is in the environment for this.
"""

import json
import os
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

COMMAND = os.environ["TRIODE_CACHE_COMMAND"]
GOLDEN = Path(os.environ["TRIODE_ROOT"]) / "tests/cache/exchange/golden"


class PeersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_command("import", "--device", "NVIDIA A100", GOLDEN / "diode_dataset.json",
                         GOLDEN / "matmul_kernel.autotune.json", GOLDEN / "inductor_table.json")

    def run_command(self, *words):
        environment = dict(os.environ, TRIODE_CACHE=str(self.folder / "cache"))
        environment.pop("LD_PRELOAD", None)
        subprocess.run([COMMAND, *map(str, words), "--quiet"], env=environment, check=True)

    def exported(self, *words):
        output = self.folder / "out.json"
        self.run_command("export", *words, "--output", output)
        return output

    def test_inductor_finds_its_choices(self):
        import torch
        from torch._inductor.lookup_table.choices import LookupTableChoices

        table = json.loads(self.exported("--format", "inductor", "--target", "H100", "--op", "mm",
                                         "--dtype", "f16", "--m", "4096").read_text())
        a = torch.empty(4096, 1024, dtype=torch.float16, device="meta")
        b = torch.empty(1024, 4096, dtype=torch.float16, device="meta")

        class Inputs:
            _scalars = {}

            def dtypes(self):
                return (a.dtype, b.dtype)

            def shapes_hinted(self):
                return (tuple(a.shape), tuple(b.shape))

            def strides_hinted(self):
                return (a.stride(), b.stride())

            def device(self):
                return torch.device("cuda:0")

        choices = LookupTableChoices()
        with mock.patch.object(choices, "_get_lookup_table", return_value=table), \
                mock.patch.object(choices, "_get_device_key", return_value="NVIDIA H100"):
            found = choices.lookup_template_configs(Inputs(), "mm", ["triton::mm", "aten::mm"])
        self.assertEqual(list(found), ["triton::mm"])
        # The config with four warps was timed twice, and was faster both times.
        self.assertEqual([c["num_warps"] for c in found["triton::mm"]], [4, 4, 1])
        self.assertEqual(found["triton::mm"][0]["BLOCK_M"], 32)

    def test_triton_reads_its_timings(self):
        from triton.runtime.autotuner import Config

        written = json.loads(self.exported("--format", "triton-autotune", "--origin",
                                           "triton-autotune").read_text())
        # What Autotuner.check_disk_cache does with the file.
        timings = {Config(**config): timing for config, timing in written["configs_timings"]}
        best = min(timings, key=timings.get)
        self.assertEqual(best.kwargs["BLOCK_SIZE_N"], 256)
        self.assertEqual(best.num_warps, 8)
        self.assertEqual(len(timings), 3)

    def test_kernel_tuner_simulates_on_its_timings(self):
        from kernel_tuner import tune_kernel

        exported = self.exported("--format", "kernel-tuner", "--target", "H100", "--op", "mm",
                                 "--dtype", "f16", "--m", "4096")
        cache = json.loads(exported.read_text())
        timed = cache["cache"]

        def is_timed(values):  # not every combination of the values that occur was
            return ",".join(str(values[name]) for name in cache["tune_params_keys"]) in timed

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that no parameter is a number of threads
            results, _ = tune_kernel(cache["kernel_name"], "", cache["problem_size"], [],
                                     cache["tune_params"], restrictions=[is_timed], lang="CUDA",
                                     cache=str(exported), simulation_mode=True, quiet=True)
        self.assertEqual(sorted(row["time"] for row in results),
                         sorted(row["time"] for row in timed.values()))
        self.assertGreater(len(results), 1)


if __name__ == "__main__":
    unittest.main()
