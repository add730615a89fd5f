# SPDX-License-Identifier: Apache-2.0
"""Runs programs with Triode inside, for tests.

TRIODE_RUN names `triode-run`, TRIODE_LIBRARY libtriode.so, TRIODE_GUESTS the folder of the guests. No run
sees the settings, the preloaded libraries or the cache of whoever runs the tests.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

RUN = os.environ["TRIODE_RUN"]
LIBRARY = os.environ["TRIODE_LIBRARY"]
TUNER = Path(RUN).with_name("triode-tuner")
GUESTS = Path(os.environ.get("TRIODE_GUESTS", ""))
PATIENCE_S = 300  # more than any guest waits for anything; a guest that hangs is a failure


class Finished:
    """A program that ended: what it printed, and the reports of its processes in the order they ended."""

    def __init__(self, done: subprocess.CompletedProcess, reports: list):
        self.code = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        self.reports = reports

    @property
    def facts(self) -> dict:
        """The `name=value` lines that a guest prints."""
        return {name: int(value) for name, value in
                (line.split("=") for line in self.stdout.splitlines())}

    @property
    def report(self) -> dict:
        assert len(self.reports) == 1, self.reports
        return self.reports[0]


def read_reports(path: Path) -> list:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class GuestRun(unittest.TestCase):
    """Each test has a folder of its own, where its programs run and its plans are kept. Programs search for
    themselves, so that what is under test is the host alone."""

    settings = {"TRIODE_TUNER": "local-search"}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def environment(self, variables: dict) -> dict:
        dropped = ("TRIODE_", "LD_PRELOAD", "PYTHON")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        return {**kept, "TRIODE_CACHE": str(self.folder / "cache"), **self.settings, **variables}

    def run_command(self, command: list, variables: dict, **options) -> Finished:
        report = self.folder / "report"
        report.unlink(missing_ok=True)
        variables = {"TRIODE_REPORT_JSON": "1", "TRIODE_REPORT_FILE": str(report), **variables}
        done = subprocess.run(list(map(str, command)), env=self.environment(variables), text=True,
                              cwd=self.folder, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                                                  "timeout": PATIENCE_S, **options})
        return Finished(done, read_reports(report))

    def run_inside(self, *command, options=(), variables=None, **rest) -> Finished:
        """`triode run OPTIONS COMMAND`."""
        return self.run_command([RUN, *options, "--", *command], variables or {}, **rest)

    def run_plainly(self, *command, **rest) -> Finished:
        return self.run_command(list(command), {}, **rest)

    def run_preloaded(self, *command, stderr=subprocess.PIPE, **variables) -> Finished:
        """As a user does who sets LD_PRELOAD by hand, so that nothing is checked before."""
        return self.run_command(list(command), {"LD_PRELOAD": LIBRARY, **variables}, stderr=stderr)

    def run_guest(self, guest: str, *arguments, mode="observe", forced="off", **rest) -> Finished:
        """A guest that must end well and in silence."""
        done = self.run_inside(GUESTS / guest, *arguments,
                               options=["--mode", mode, "--force-plans", forced], **rest)
        self.assertEqual((done.code, done.stderr), (0, ""), f"{guest} {arguments}, {mode}, {forced}")
        return done

    def assert_counts(self, report: dict, **counts):
        self.assertEqual({name: report[name] for name in counts}, counts)


class TunedRun(GuestRun):
    """The same as users run programs: with a tuner, which is the test's own and ends with it."""

    # The machine may be busy with other tests, and the tuner would wait for it.
    settings = {"TRIODE_TUNER_SHARE": "1"}

    def setUp(self):
        super().setUp()
        self.meeting = self.folder / "run"
        self.meeting.mkdir(mode=0o700)
        self.addCleanup(lambda: self.tuner("stop"))

    def environment(self, variables: dict) -> dict:
        return {**super().environment({}), "XDG_RUNTIME_DIR": str(self.meeting), **variables}

    def tuner(self, *words) -> subprocess.CompletedProcess:
        """`triode tuner WORDS`."""
        return subprocess.run([TUNER, *words], env=self.environment({}), text=True, timeout=PATIENCE_S,
                              capture_output=True)
