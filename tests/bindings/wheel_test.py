# SPDX-License-Identifier: Apache-2.0
"""The wheel: built from the sources, installed into an environment of its own, and used there as from any other
folder. `wheel_test.py` runs under an environment that holds what builds it."""

import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["TRIODE_ROOT"])
HERE = pathlib.Path(sysconfig.get_path("purelib"))
# As tools/environment.sh has it: what the build of this tree compiled is not compiled again.
COMPILER_CACHE = {
    "CC": "cc",
    "CXX": "c++",
    "CCACHE_BASEDIR": str(ROOT),
    "CCACHE_NOHASHDIR": "1",
    "CCACHE_SLOPPINESS": "pch_defines,time_macros",
    "CCACHE_DIR": os.environ.get("CCACHE_DIR")
    or str(pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "triode" / "ccache"),
}

MULTIPLY = """
import numpy, triode
device = triode.CpuDevice()
problem = triode.Problem.parse("mm f32 64x48x32 nn align=4 threads=2")
matmul = device.build(problem, device.space(problem).promising()[0])
a, b, c = (numpy.ones(shape, numpy.float32) for shape in ((64, 32), (32, 48), (64, 48)))
matmul.run(a, b, c)
print(c.min(), c.max(), triode.__file__)
"""
INTERCEPT = """
import torch, triode
interception = triode.intercept()
a = torch.ones(64, 64)
for _ in range(10):
    c = a @ a
print(c.min().item(), interception.counters()["calls"])
"""


def run(*command, check=True):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRIODE_")}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run([str(word) for word in command], env=environment | COMPILER_CACHE, cwd="/",
                          capture_output=True, text=True)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # Nothing may come from a registry: what builds it is here already.
        run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index",
            "--wheel-dir", cls.folder, ROOT)
        (cls.wheel,) = cls.folder.glob("triode-*.whl")
        without_torch = {"numpy", "numpy.libs", "msgpack"}
        cls.plain = cls.make_environment("plain", [HERE / name for name in without_torch])
        cls.full = cls.make_environment("full", HERE.iterdir())

    @classmethod
    def make_environment(cls, name, packages):
        """One with the wheel and those packages, which are only linked to."""
        environment = cls.folder / name
        run(sys.executable, "-m", "venv", "--without-pip", environment)
        (site,) = environment.glob("lib/python3.*/site-packages")
        for package in packages:
            if not package.name.startswith("triode"):
                (site / package.name).symlink_to(package)
        run(sys.executable, "-m", "pip", "--python", environment / "bin/python", "install", "--no-deps", "--no-index",
            "--no-warn-conflicts", cls.wheel)
        return environment / "bin"

    def test_matmuls_run_on_the_threads_of_the_library_inside(self):
        said = run(self.plain / "python", "-c", MULTIPLY).stdout
        self.assertTrue(said.startswith("32.0 32.0 "), said)
        self.assertIn(str(self.plain.parent), said)

    def test_files_of_diode_are_read_and_written_without_torch(self):
        said = run(self.plain / "python", "-c",
                   "from triode.types import MMShape; import triode.compat.diode; print(MMShape.__name__)").stdout
        self.assertEqual(said, "MMShape\n")

    def test_what_needs_torch_says_so_without(self):
        for call in ("intercept", "install"):
            with self.subTest(call):
                done = run(self.plain / "python", "-c", f"import triode; triode.{call}()", check=False)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr.splitlines()[-1], r"^ImportError: .*torch")

    def test_commands_of_torch_run_where_it_was_there(self):
        """What they say where it was not, command_test.py shows."""
        for command in ("train", "eval", "validate-model"):
            self.assertIn("model", run(self.full / "triode", command, "--help").stdout)

    def test_shipped_models_are_found_by_name(self):
        said = run(self.plain / "triode", "model", "show", "gpu").stdout
        self.assertIn(str(self.plain.parent), said)

    def test_commands_run(self):
        self.assertRegex(run(self.plain / "triode", "--version").stdout, r"^triode 0\.")
        self.assertIn("collect", run(self.plain / "triode", "collect", "--help").stdout)
        self.assertIn("shape", run(self.plain / "triode", "create-validation", "--help").stdout)
        model = run(self.plain / "triode", "model", "ls", "--cache", self.folder / "no cache").stdout
        self.assertIn("cpu-x86", model)

    def test_a_program_is_run_with_the_library_inside(self):
        done = run(self.plain / "triode", "run", "--mode", "observe", "--report", "/usr/bin/python3", "-c",
                   "import numpy; a = numpy.ones((64, 64)); a @ a")
        self.assertIn("64", done.stderr)

    def test_torch_is_answered_where_it_was_there_to_build_for(self):
        said = run(self.full / "python", "-c", INTERCEPT).stdout
        self.assertEqual(said, "64.0 10\n")
        self.assertIn("regret", run(self.full / "triode", "eval", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
