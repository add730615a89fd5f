# SPDX-License-Identifier: Apache-2.0
"""The built `triode` command, run as users run it. TRIODE_COMMAND names it, TRIODE_ROOT the sources."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_COMMAND"]
ROOT = Path(os.environ["TRIODE_ROOT"])


def run(*arguments: str, path: str = "/nonexistent") -> subprocess.CompletedProcess:
    environment = {**os.environ, "PATH": path}
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, env=environment)


class TriodeCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def add_program(self, name: str, script: str):
        path = Path(self.folder) / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def test_help_is_the_document(self):
        text = (ROOT / "docs/cli/triode.md").read_text()
        for arguments in (["--help"], ["-h"], ["help"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, text, ""))

    def test_version_is_that_of_the_project(self):
        version = re.search(r"project\(triode VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(run("--version").stdout, f"triode {version}\n")
        self.assertEqual(json.loads(run("--version", "--json").stdout), {"name": "triode", "version": version})

    def test_json_help_lists_commands(self):
        self.add_program("triode-zebra", "true")
        self.add_program('triode-a"b', "true")
        commands = json.loads(run("--help", "--json", path=self.folder).stdout)["commands"]
        self.assertIn("zebra", commands)
        self.assertIn('a"b', commands)

    def test_no_command_is_wrong_usage(self):
        self.assertEqual(run().returncode, 2)

    def test_unknown_option_is_wrong_usage(self):
        done = run("--frobnicate")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--frobnicate", done.stderr)

    def test_unknown_command_is_wrong_usage_and_suggests(self):
        self.add_program("triode-zebra", "true")
        done = run("zerba", path=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("'zerba' is not a command", done.stderr)
        self.assertIn("did you mean 'zebra'?", done.stderr)
        self.assertRegex(done.stderr, r"commands: .*zebra")

    def test_what_a_build_without_torch_lacks_says_so(self):
        alone = shutil.copy(COMMAND, self.folder)
        for command in ("train", "eval"):
            done = subprocess.run([alone, command], capture_output=True, text=True, env={"PATH": "/nonexistent"})
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"'{command}' needs torch, which was not there when this Triode was built", done.stderr)

    def test_path_is_not_a_command(self):
        self.assertEqual(run("../triode").returncode, 2)

    def test_hands_over_arguments_and_exit_code(self):
        self.add_program("triode-zebra", 'for a in "$@"; do echo "[$a]"; done; exit 7')
        done = run("zebra", "one two", "--json", "", path=self.folder)
        self.assertEqual((done.returncode, done.stdout), (7, "[one two]\n[--json]\n[]\n"))

    def test_help_about_a_command_is_its_help(self):
        self.add_program("triode-zebra", 'echo "zebra $*"')
        self.assertEqual(run("help", "zebra", path=self.folder).stdout, "zebra --help\n")
        self.assertEqual(run("help", "zebra", "lion", path=self.folder).returncode, 2)

    def test_program_that_does_not_start_is_a_failure(self):
        self.add_program("triode-zebra", "")
        (Path(self.folder) / "triode-zebra").write_text("#!/nonexistent/interpreter\n")
        done = run("zebra", path=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot run", done.stderr)

    def test_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run([COMMAND, "--version"], stdout=full).returncode, 1)


if __name__ == "__main__":
    unittest.main()
