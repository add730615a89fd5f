# SPDX-License-Identifier: Apache-2.0
"""The built `triode run`, as users run it, with a library that does nothing in place of libtriode.so.

TRIODE_RUN names the program, TRIODE_EMPTY_LIBRARY the library, TRIODE_COMMAND `triode`, TRIODE_ROOT the
sources.
"""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["TRIODE_ROOT"])
COMMAND = Path(os.environ["TRIODE_COMMAND"])
SETTINGS = ["TRIODE_MODE", "TRIODE_CACHE", "TRIODE_PLANS", "TRIODE_REPORT", "TRIODE_REPORT_JSON",
            "TRIODE_REPORT_FILE", "TRIODE_THREADS", "TRIODE_FORCE_PLANS",
            "TRIODE_CACHE_SYNC", "TRIODE_TUNER", "TRIODE_TRUST_MODEL"]
PRINT_SETTINGS = ["sh", "-c", "env | grep -E '^(TRIODE_|LD_PRELOAD)' | sort"]


def static_program(exit_code: int) -> bytes:
    """An x86-64 ELF file without a dynamic linker: one segment, whose code calls exit."""
    code = b"\xb8\x3c\0\0\0" + b"\xbf" + struct.pack("<I", exit_code) + b"\x0f\x05"
    base, head = 0x400000, 64 + 56
    size = head + len(code)
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, base + head, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, size, size, 0x1000) + code


class RunCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.program = self.folder / "bin/triode-run"
        self.library = self.folder / "lib/libtriode.so"
        for source, copy in (("TRIODE_RUN", self.program), ("TRIODE_EMPTY_LIBRARY", self.library)):
            copy.parent.mkdir()
            shutil.copy(os.environ[source], copy)

    def run_command(self, *arguments, variables=None, **options) -> subprocess.CompletedProcess:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TRIODE_")}
        kept.pop("LD_PRELOAD", None)
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, env={**kept, **(variables or {})}, **options)

    def settings_seen(self, *options, **variables) -> dict:
        done = self.run_command(*options, *PRINT_SETTINGS, variables=variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return dict(line.split("=", 1) for line in done.stdout.splitlines())

    def add_file(self, name: str, content: bytes, mode: int) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        path.chmod(mode)
        return path

    def assert_not_started(self, done: subprocess.CompletedProcess, code: int, *texts: str):
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        self.assertTrue(done.stderr.startswith("triode-run: "), done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)


class ProgramItBecomes(RunCommand):
    def test_exit_code_is_the_programs(self):
        self.assertEqual(self.run_command("sh", "-c", "exit 7").returncode, 7)

    def test_death_by_signal_is_the_programs(self):
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
            done = self.run_command("sh", "-c", f"kill -{int(number)} $$")
            self.assertEqual(done.returncode, -number)

    def test_standard_streams_are_untouched(self):
        done = self.run_command("sh", "-c", "cat; echo oops >&2", input="one\ntwo\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "one\ntwo\n", "oops\n"))

    def test_process_is_the_same(self):
        kept = {**os.environ, "TRIODE_MODE": "off"}
        with subprocess.Popen([self.program, "sh", "-c", "echo $$"], stdout=subprocess.PIPE, text=True,
                              env=kept) as process:
            self.assertEqual(int(process.stdout.read()), process.pid)

    def test_no_file_stays_open(self):
        self.assertEqual(self.run_command("ls", "/proc/self/fd").stdout,
                         subprocess.run(["ls", "/proc/self/fd"], capture_output=True,
                                        text=True).stdout)

    def test_arguments_are_the_programs(self):
        done = self.run_command("--", "printf", "[%s]", "--mode", "one two", "", "--", "--help")
        self.assertEqual(done.stdout, "[--mode][one two][][--][--help]")

    def test_name_is_as_typed(self):
        self.add_file("show", b"#!/bin/sh\necho $0\n", 0o755)
        self.assertEqual(self.run_command("./show").stdout, "./show\n")
        self.assertEqual(self.run_command("sh", "-c", "echo $0").stdout, "sh\n")

    def test_script_without_interpreter_line_runs_as_from_a_shell(self):
        script = self.add_file("script", b"exit 9\n", 0o755)
        self.assertEqual(self.run_command(script).returncode, 9)

    def test_is_a_subcommand(self):
        shutil.copy(COMMAND, self.folder / "bin/triode")
        done = subprocess.run([self.folder / "bin/triode", "run", "sh", "-c", "exit 7"])
        self.assertEqual(done.returncode, 7)


class EnvironmentOfTheProgram(RunCommand):
    def test_library_is_loaded(self):
        self.assertIn(str(self.library), self.run_command("cat", "/proc/self/maps").stdout)

    def test_without_options_only_the_library_is_added(self):
        self.assertEqual(self.settings_seen(), {"LD_PRELOAD": str(self.library)})

    def test_mode_off_loads_the_library_too(self):
        self.assertEqual(self.settings_seen("--mode", "off"),
                         {"LD_PRELOAD": str(self.library), "TRIODE_MODE": "off"})

    def test_library_beside_the_program_is_found(self):
        beside = self.library.rename(self.program.parent / "libtriode.so")
        self.assertEqual(self.settings_seen()["LD_PRELOAD"], str(beside))

    def test_preload_of_the_user_is_kept(self):
        mine = shutil.copy(self.library, self.folder / "mine.so")
        seen = self.settings_seen(LD_PRELOAD=str(mine))
        self.assertEqual(seen["LD_PRELOAD"], f"{self.library}:{mine}")

    def test_run_inside_a_run_names_the_library_once(self):
        seen = self.settings_seen("--mode", "off", self.program, "--threads", "2")
        self.assertEqual(seen, {"LD_PRELOAD": str(self.library), "TRIODE_MODE": "off",
                                "TRIODE_THREADS": "2"})

    def test_every_setting_reaches_the_program(self):
        (self.folder / "p").touch()
        seen = self.settings_seen("--mode=tune", "--cache=c", "--plans=p", "--report", "--json",
                                  "--report-file=r", "--threads=3", "--force-plans=first",
                                  "--cache-sync=every", "--tuner=process")
        values = ["tune", f"{self.folder}/c", f"{self.folder}/p", "1", "1", f"{self.folder}/r", "3",
                  "first", "every", "process"]
        self.assertEqual(seen, {"LD_PRELOAD": str(self.library), **dict(zip(SETTINGS, values))})

    def test_option_beats_environment(self):
        seen = self.settings_seen("--mode", "observe", TRIODE_MODE="nonsense", TRIODE_THREADS="5")
        self.assertEqual((seen["TRIODE_MODE"], seen["TRIODE_THREADS"]), ("observe", "5"))


class WhatIsRefused(RunCommand):
    def test_wrong_option(self):
        done = self.run_command("--repotr", "echo")
        self.assert_not_started(done, 2, "'--repotr'", "did you mean '--report'?")

    def test_wrong_value(self):
        done = self.run_command("--mode", "fast", "echo")
        self.assert_not_started(done, 2, "--mode", "off, observe, tune or frozen")

    def test_wrong_variable(self):
        done = self.run_command("echo", variables={"TRIODE_THREADS": "many"})
        self.assert_not_started(done, 2, "TRIODE_THREADS", '"many"', "0 to 1024")

    def test_no_program(self):
        self.assert_not_started(self.run_command(), 2, "no program given")

    def test_frozen_without_plans(self):
        done = self.run_command("--mode", "frozen", "echo")
        self.assert_not_started(done, 2, "--plans FILE", "TRIODE_PLANS")

    def test_frozen_with_missing_plans(self):
        done = self.run_command("--mode", "frozen", "--plans", "nowhere", "echo")
        self.assert_not_started(done, 1, "nowhere", "No such file")

    def test_missing_program(self):
        self.assert_not_started(self.run_command("no-such-program"), 127, "no-such-program")
        self.assert_not_started(self.run_command("./no-such-program"), 127, "no-such-program")

    def test_missing_interpreter(self):
        script = self.add_file("script", b"#!/nonexistent/interpreter\n", 0o755)
        self.assert_not_started(self.run_command(script), 127, "the interpreter")

    def test_program_that_is_not_executable(self):
        text = self.add_file("text", b"", 0o644)
        self.assert_not_started(self.run_command(text), 126, "not executable")
        self.assert_not_started(self.run_command(self.folder), 126, "is a folder")

    def test_missing_library(self):
        self.library.unlink()
        self.assert_not_started(self.run_command("echo"), 1, str(self.library),
                                f"{self.program.parent}/libtriode.so", "build Triode or install it")

    def test_library_that_a_list_cannot_name(self):
        self.program = shutil.copytree(self.folder / "bin", self.folder / "a b/bin") / "triode-run"
        shutil.copytree(self.folder / "lib", self.folder / "a b/lib")
        self.assert_not_started(self.run_command("echo"), 1, "a space or a colon")


class Warnings(RunCommand):
    def setUp(self):
        super().setUp()
        self.static = self.add_file("static", static_program(5), 0o755)

    def test_static_program_runs_with_a_warning(self):
        done = self.run_command(self.static)
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn(f"warning: {self.static} is statically linked", done.stderr)

    def test_program_found_through_path_is_looked_at(self):
        done = self.run_command("static", variables={"PATH": str(self.folder)})
        self.assertEqual(done.returncode, 5)
        self.assertIn("is statically linked", done.stderr)

    def test_quiet_silences_it(self):
        done = self.run_command("--quiet", self.static)
        self.assertEqual((done.returncode, done.stderr), (5, ""))


class WhatEveryCommandAnswers(RunCommand):
    def test_help_is_the_document(self):
        text = (ROOT / "docs/cli/run.md").read_text()
        for option in ("--help", "-h"):
            done = self.run_command(option)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, text, ""))

    def test_help_needs_no_library(self):
        self.library.unlink()
        self.assertEqual(self.run_command("--help").returncode, 0)

    def test_version_is_that_of_the_project(self):
        version = re.search(r"project\(triode VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(self.run_command("--version").stdout, f"triode-run {version}\n")
        self.assertEqual(json.loads(self.run_command("--version", "--json").stdout),
                         {"name": "triode-run", "version": version})

    def test_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run([self.program, "--version"], stdout=full).returncode, 1)


if __name__ == "__main__":
    unittest.main()
