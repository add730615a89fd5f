# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own samples of its matmuls under `triode run`: what a process says in which Triode answers every BLAS call
that it takes, against what one says that knows nothing of Triode."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch

PROGRAM = Path(__file__).with_name("opinfo_samples.py")
RUN = [os.environ["TRIODE_COMMAND"], "run", "--mode", "observe", "--force-plans"]


class Preloaded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.wanted = cls.results("wanted", [])

    @classmethod
    def results(cls, name, run):
        path = cls.folder / name
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TRIODE_")}
        environment |= {"XDG_CACHE_HOME": str(cls.folder)}
        words = [*run, sys.executable, PROGRAM, path]
        done = subprocess.run([*map(str, words)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return torch.load(path, weights_only=True)

    def test_samples_come_out_as_without_triode(self):
        report = self.folder / "report.json"
        got = self.results("got", [*RUN, "random", "--json", "--report-file", report])
        self.assertEqual(set(got), set(self.wanted))
        for name, wanted in self.wanted.items():
            with self.subTest(name):
                torch.testing.assert_close(got[name], wanted)
        told = json.loads(report.read_text())
        self.assertGreater(told["answered"], 100)
        self.assertGreaterEqual(told["share_answered"], 0.9)


if __name__ == "__main__":
    unittest.main()
