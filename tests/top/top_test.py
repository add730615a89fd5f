# SPDX-License-Identifier: Apache-2.0
"""`triode top` in a pseudo-terminal: it shows, sorts, resizes, and leaves the terminal as it was."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_TOP_COMMAND"]
TUNER = os.environ["TRIODE_TUNER_COMMAND"]
ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"


class TopTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name) / "cache"
        runtime = Path(folder.name) / "runtime"
        runtime.mkdir(mode=0o700)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIODE_")}
        self.environment.update(TRIODE_CACHE=str(self.cache), XDG_RUNTIME_DIR=str(runtime), TERM="xterm")

    def run_command(self, *words, code=0):
        done = subprocess.run([COMMAND, *words], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr


class Screen:
    """`triode top` at one end of a pseudo-terminal, and what it printed so far at the other."""

    def __init__(self, environment, rows=24, columns=100):
        self.side, self.terminal = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.terminal)
        self.process = subprocess.Popen([COMMAND], env=environment, stdin=self.terminal, stdout=self.terminal,
                                        stderr=self.terminal, process_group=0)  # a job, as a shell makes it
        self.printed = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        os.write(self.side, keys)

    def read_until(self, test, limit=60):
        """Reads until the test holds of what was printed since; fails the caller after a long while."""
        self.printed = b""
        end = time.monotonic() + limit
        while not test(self.printed):
            if time.monotonic() > end:
                raise AssertionError(f"never printed: {self.printed!r}")
            if select.select([self.side], [], [], 0.1)[0]:
                self.printed += os.read(self.side, 65536)
        return self.printed

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.side)
        os.close(self.terminal)


class Live(TopTest):
    def screen(self, **size):
        screen = Screen(self.environment, **size)
        self.addCleanup(screen.close)
        return screen

    def test_q_ends_it_and_the_terminal_is_as_before(self):
        screen = self.screen()
        screen.read_until(lambda text: ENTER in text and b"no tuner runs" in text)
        self.assertNotEqual(termios.tcgetattr(screen.terminal)[3], screen.before[3])
        screen.press(b"q")
        screen.read_until(lambda text: LEAVE in text)
        self.assertEqual(screen.process.wait(timeout=60), 0)
        self.assertEqual(termios.tcgetattr(screen.terminal), screen.before)

    def test_a_signal_ends_it_likewise(self):
        for number in [signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP]:
            with self.subTest(number.name):
                screen = self.screen()
                screen.read_until(lambda text: b"no tuner runs" in text)
                screen.process.send_signal(number)
                screen.read_until(lambda text: LEAVE in text)
                self.assertEqual(screen.process.wait(timeout=60), 0)
                self.assertEqual(termios.tcgetattr(screen.terminal), screen.before)

    def test_stopped_it_gives_the_terminal_back_and_takes_it_again(self):
        screen = self.screen()
        screen.read_until(lambda text: b"no tuner runs" in text)
        as_shown = termios.tcgetattr(screen.terminal)
        for _ in range(2):
            screen.process.send_signal(signal.SIGTSTP)
            screen.read_until(lambda text: LEAVE in text)
            _, status = os.waitpid(screen.process.pid, os.WUNTRACED)
            self.assertTrue(os.WIFSTOPPED(status), status)
            self.assertEqual(termios.tcgetattr(screen.terminal), screen.before)
            screen.process.send_signal(signal.SIGCONT)
            screen.read_until(lambda text: ENTER in text and b"no tuner runs" in text)
            self.assertEqual(termios.tcgetattr(screen.terminal), as_shown)
        screen.press(b"q")
        self.assertEqual(screen.process.wait(timeout=60), 0)
        self.assertEqual(termios.tcgetattr(screen.terminal), screen.before)

    def test_goes_on_after_a_stop_that_no_program_is_told_of(self):
        screen = self.screen()
        screen.read_until(lambda text: b"no tuner runs" in text)
        as_shown = termios.tcgetattr(screen.terminal)
        screen.process.send_signal(signal.SIGSTOP)
        os.waitpid(screen.process.pid, os.WUNTRACED)
        termios.tcsetattr(screen.terminal, termios.TCSANOW, screen.before)  # as a shell does
        screen.process.send_signal(signal.SIGCONT)
        screen.read_until(lambda text: b"no tuner runs" in text)
        self.assertEqual(termios.tcgetattr(screen.terminal), as_shown)

    def test_shows_a_tuner_that_runs_and_draws_again_when_resized(self):
        subprocess.run([TUNER, "start", "--quiet"], env=self.environment, check=True)
        self.addCleanup(subprocess.run, [TUNER, "stop", "--quiet"], env=self.environment)
        screen = self.screen(rows=24, columns=100)
        screen.read_until(lambda text: b"triode tuner " in text)
        screen.resize(24, 30)
        screen.process.send_signal(signal.SIGWINCH)
        text = screen.read_until(lambda text: b"q quit" in text and b"sort: p" not in text)
        for line in text.replace(b"\r", b"").split(b"\n"):
            self.assertLessEqual(len(line.replace(b"\x1b[H", b"").replace(b"\x1b[K", b"").replace(b"\x1b[J", b"")), 30, line)
        screen.press(b"s")
        screen.read_until(lambda text: b"q quit" in text)
        screen.press(b"q")
        self.assertEqual(screen.process.wait(timeout=60), 0)


class Once(TopTest):
    def test_prints_one_view_or_json(self):
        self.assertIn("no tuner runs", self.run_command("--once")[0])
        self.assertEqual(json.loads(self.run_command("--json")[0]), {"is_running": False})

    def test_without_a_terminal_it_says_what_to_do(self):
        self.assertIn("--once", self.run_command(code=1)[1])

    def test_wrong_usage_is_refused(self):
        for words in [["--colour"], ["word"], ["--interval", "0"], ["--interval", "soon"]]:
            self.assertIn("triode top --help", self.run_command(*words, code=2)[1])


if __name__ == "__main__":
    unittest.main()
