# SPDX-License-Identifier: Apache-2.0
"""Triode as it is installed: projects find it, build against it and run, and so they do after the tree
was moved."""

import os
import pathlib
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["TRIODE_BUILD"])
CMAKE = os.environ["TRIODE_CMAKE"]
AS_TRIODE_WAS_BUILT = [
    f"-G{os.environ['TRIODE_GENERATOR']}",
    f"-DCMAKE_C_COMPILER={os.environ['TRIODE_C_COMPILER']}",
    f"-DCMAKE_CXX_COMPILER={os.environ['TRIODE_CXX_COMPILER']}",
]
PROJECT = pathlib.Path(__file__).parent / "consumer"


class Consumer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # What a program keeps for its user, and whatever the user has set, stay out of this.
        cls.environment = {name: value for name, value in os.environ.items()
                           if not name.startswith("TRIODE_")} | {"XDG_CACHE_HOME": folder.name}
        installed = cls.folder / "installed first"
        cls.run_command(CMAKE, "--install", BUILD, "--prefix", installed)
        cls.prefix = installed.rename(cls.folder / "moved")

    @classmethod
    def run_command(cls, *command):
        done = subprocess.run([str(word) for word in command], env=cls.environment, cwd=cls.folder,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_programs_build_and_run(self):
        build = self.folder / "build"
        self.run_command(CMAKE, "-S", PROJECT, "-B", build, *AS_TRIODE_WAS_BUILT,
                         f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.run_command(CMAKE, "--build", build)
        self.assertIn("c[0] = 512; of 101 calls", self.run_command(build / "consumer"))
        self.assertIn("19 22 43 50 by Triode", self.run_command(build / "consumer_in_c"))
        self.assertIn("19 22 43 50 by Triode", self.run_command(
            self.prefix / "bin/triode", "run", build / "consumer_in_c"))

    def test_commands_run(self):
        triode = self.prefix / "bin/triode"
        self.assertRegex(self.run_command(triode, "--version"), r"triode \d")
        self.assertIn("cpu-gemm", self.run_command(triode, "bench", "--help"))

    def test_nothing_knows_where_it_was_installed(self):
        names = [path for path in self.prefix.rglob("*")
                 if path.is_file() and b"installed first" in path.read_bytes()]
        self.assertEqual(names, [])

    def test_package_serves_its_major_version_alone(self):
        version = self.prefix / "lib/cmake/triode/triodeConfigVersion.cmake"
        script = self.folder / "ask.cmake"
        script.write_text(f'include("{version}")\nmessage(STATUS "serves=${{PACKAGE_VERSION_COMPATIBLE}}")\n')
        for wanted, answer in [("0.1", "TRUE"), ("0.1.0", "TRUE"), ("1.0", "FALSE"), ("0.9", "FALSE")]:
            with self.subTest(wanted):
                said = self.run_command(CMAKE, f"-DPACKAGE_FIND_VERSION={wanted}",
                                        f"-DPACKAGE_FIND_VERSION_MAJOR={wanted.split('.')[0]}",
                                        "-P", script)
                self.assertIn(f"serves={answer}", said)


if __name__ == "__main__":
    unittest.main()
