# SPDX-License-Identifier: Apache-2.0
"""How the scripts under tools take their arguments, and how tools/setup fails. TRIODE_ROOT: the sources."""

import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["TRIODE_ROOT"])
SCRIPTS = ["tools/setup", "tools/test", "tools/demo"]


def run(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([ROOT / script, *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment})


class Scripts(unittest.TestCase):
    def test_help_names_every_flag(self):
        for script in SCRIPTS:
            with self.subTest(script):
                done = run(script, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"  {script} [", done.stdout)
                self.assertIn("--no-torch", done.stdout)
                self.assertNotIn("set -euo", done.stdout)

    def test_unknown_argument_is_wrong_usage(self):
        for script in SCRIPTS:
            for argument in ("--frobnicate", "quick"):
                with self.subTest(script=script, argument=argument):
                    done = run(script, argument)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn(f"unknown argument '{argument}'", done.stderr)

    def test_quick_and_long_exclude_each_other(self):
        self.assertEqual(run("tools/test", "--quick", "--long").returncode, 2)

    def test_all_can_be_executed(self):
        for script in [*SCRIPTS, ".ci/run"]:
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)


class WholePrograms(unittest.TestCase):
    """tests/run_whole.sh, with a shell for the test program."""

    def run_whole(self, script: str) -> subprocess.CompletedProcess:
        return run("tests/run_whole.sh", "sh", "-c", script)

    def test_passes_a_program_that_came_to_its_end(self):
        done = self.run_whole("echo '[==========] 1 test from 1 test suite ran. (0 ms total)'")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 test from", done.stdout)

    def test_a_program_without_tests_fails(self):
        done = self.run_whole("echo '[==========] 0 tests from 0 test suites ran. (0 ms total)'")
        self.assertEqual(done.returncode, 1)
        self.assertIn("it had none", done.stderr)

    def test_a_program_that_ends_early_fails(self):
        done = self.run_whole("echo '[ RUN      ] Some.Test'; exit 0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("before the end of its tests", done.stderr)

    def test_keeps_the_exit_code_of_what_failed(self):
        done = self.run_whole("echo '[==========] 2 tests from 1 test suite ran. (0 ms total)'; exit 23")
        self.assertEqual(done.returncode, 23)
        self.assertEqual(self.run_whole("kill -ABRT $$").returncode, 134)


class SetupCase(unittest.TestCase):
    """tools/setup with stand-ins for the programs it calls, so that nothing is installed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def stand_in(self, name: str, script: str):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def setup(self, *arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess:
        return run(root / "tools/setup", "--no-torch", *arguments, PATH=f"{self.bin}:{os.environ['PATH']}",
                   XDG_CACHE_HOME=str(self.folder / "cache"))

    def pretend_packages_are_there(self):
        self.stand_in("apt-get", "exit 1")
        self.stand_in("dpkg-query", 'shift 2; for p in "$@"; do echo "$p installed"; done')


class SetupBuilds(SetupCase):
    """In a tree that holds the scripts alone, with a CMake that notes how it is called."""

    def setUp(self):
        super().setUp()
        self.root = self.folder / "tree"
        shutil.copytree(ROOT / "tools", self.root / "tools", ignore=lambda folder, names: [
            name for name in names if (Path(folder) / name).is_dir()])
        self.pretend_packages_are_there()
        self.stand_in("df", "echo header; echo disk 9 9 99999 9 mount")
        self.stand_in("python3", """case "$*" in
  -VV) echo Python 3.99 ;;
  *venv*) mkdir -p "$3/bin" && printf '#!/bin/sh\\n' >"$3/bin/python" && chmod +x "$3/bin/python" ;;
esac""")
        self.stand_in("cmake", f'echo "$*" >>"{self.folder}/calls"; mkdir -p build && touch build/CMakeCache.txt')

    def configured_with(self, *arguments: str) -> str:
        """How CMake was called to configure, by the next setup."""
        (self.folder / "calls").write_text("")
        done = self.setup(*arguments, root=self.root)
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(line for line in (self.folder / "calls").read_text().splitlines() if "--preset release" in line)

    def test_a_new_tree_has_no_tests(self):
        self.assertIn("-DTRIODE_BUILD_TESTS:BOOL=OFF", self.configured_with())

    def test_tests_are_built_where_asked_for_and_stay_as_they_are(self):
        self.assertIn("-DTRIODE_BUILD_TESTS:BOOL=ON", self.configured_with("--tests"))
        self.assertNotIn("TRIODE_BUILD_TESTS", self.configured_with())

    def test_tests_can_be_asked_for_later(self):
        self.configured_with()
        self.assertIn("-DTRIODE_BUILD_TESTS:BOOL=ON", self.configured_with("--tests"))

    def test_the_test_script_asks_for_them(self):
        setup = self.root / "tools/setup"
        setup.write_text('#!/bin/sh\necho "setup $*"; exit 1\n')
        done = run(self.root / "tools/test", "--quick", "--no-torch")
        self.assertIn("setup --tests --no-torch", done.stdout)


class SetupFailures(SetupCase):
    def test_missing_packages_without_root_or_sudo(self):
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", "exit 1")
        done = self.setup()
        self.assertEqual(done.returncode, 1)
        self.assertIn("as root, run: apt-get install", done.stderr)

    def test_failed_package_download_hides_addresses(self):
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("id", "echo 0")
        self.stand_in("apt-get", "echo could not reach 'http:'//mirror.example/debian; exit 100")
        done = self.setup()
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not reach <address>", done.stderr)
        self.assertIn("run tools/setup again", done.stderr)
        self.assertNotIn("mirror.example", done.stdout + done.stderr)

    def test_an_optional_package_that_apt_does_not_have_is_left_out(self):
        self.stand_in("dpkg-query", 'shift 2; for p in "$@"; do [ "$p" = chromium ] || echo "$p installed"; done')
        self.stand_in("apt-get", "exit 1")
        self.stand_in("apt-cache", "echo '  Candidate: (none)'")
        self.stand_in("df", "echo header; echo disk 9 9 12 9 mount")  # ends it at the next step
        done = self.setup()
        self.assertIn("all there but chromium, which apt does not have: tests that need it skip", done.stdout)
        self.assertIn("has 12 MB free", done.stderr)

    def test_an_optional_package_does_not_fail_the_others(self):
        self.stand_in("dpkg-query", 'shift 2; for p in "$@"; do case $p in chromium | git) ;; *) echo "$p installed" ;; esac; done')
        self.stand_in("id", "echo 0")
        self.stand_in("apt-get", 'case "$*" in *chromium*) exit 100 ;; esac; echo "$@" >>"$XDG_CACHE_HOME"')
        self.stand_in("apt-cache", "echo '  Candidate: (none)'")
        self.setup()  # ends behind the packages, where the folder is no folder
        self.assertRegex((self.folder / "cache").read_text(), r" update\n.* install .* git\n$")

    def interrupt_while_installing(self, name: str) -> bytes | None:
        """Sends the signal to tools/setup while its apt-get runs. What is then left of apt-get: b"" if nothing,
        None if it still runs."""
        os.mkfifo(self.folder / "running")
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("id", "echo 0")
        self.stand_in("apt-get", f"echo $$ >'{self.folder}/pid'; exec 3>'{self.folder}/running'; echo yes >&3; exec sleep 600")
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}",
                       "XDG_CACHE_HOME": str(self.folder / "cache")}
        setup = subprocess.Popen([ROOT / "tools/setup", "--no-torch"], env=environment, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL,
                                 # Whatever the caller ignores: a shell could not trap it.
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        with open(self.folder / "running", "rb", buffering=0) as running:
            self.assertEqual(running.readline(), b"yes\n")
            setup.send_signal(getattr(signal, name))
            self.assertEqual(setup.wait(timeout=60), 1)
            os.set_blocking(running.fileno(), False)
            left = running.read()
        if left is None:
            os.kill(int((self.folder / "pid").read_text()), signal.SIGKILL)
        return left

    def test_an_interrupt_leaves_no_download_running(self):
        self.assertEqual(self.interrupt_while_installing("SIGINT"), b"")

    def test_being_ended_leaves_no_download_running(self):
        self.assertEqual(self.interrupt_while_installing("SIGTERM"), b"")

    def test_full_disk_is_said_before_the_download(self):
        self.pretend_packages_are_there()
        self.stand_in("df", "echo header; echo disk 9 9 12 9 mount")
        done = self.setup()
        self.assertEqual(done.returncode, 1)
        self.assertIn("has 12 MB free", done.stderr)

    def test_failed_pip_leaves_nothing_that_looks_complete(self):
        self.pretend_packages_are_there()
        # Answers as a python3 would, but makes an environment whose pip always fails.
        self.stand_in("python3", """case "$*" in
  -c*) exit 0 ;;
  -VV) echo Python 3.99 ;;
  *venv*) mkdir -p "$3/bin" && printf '#!/bin/sh\\necho no space left; exit 1\\n' >"$3/bin/python" && chmod +x "$3/bin/python" ;;
esac""")
        done = self.setup()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no space left", done.stderr)
        self.assertIn("run tools/setup again", done.stderr)
        self.assertEqual(list((self.folder / "cache/triode").glob("venv-*/complete")), [])


if __name__ == "__main__":
    unittest.main()
