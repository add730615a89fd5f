# SPDX-License-Identifier: Apache-2.0
"""The man pages and the completion that are installed. TRIODE_BUILD: the build, TRIODE_ROOT: the sources."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(os.environ["TRIODE_ROOT"])
FILES = Path(os.environ["TRIODE_BUILD"]) / "help_files"
PAGES = FILES / "man" / "man1"


def complete(*words):
    """What bash offers for the last of the words."""
    script = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _triode; printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", script, FILES / "bash-completion" / "completions" / "triode", *words],
                          capture_output=True, text=True, check=True)
    assert done.stderr == "", done.stderr
    return done.stdout.split()


class ManPages(unittest.TestCase):
    def test_every_help_text_has_one(self):
        texts = {path.stem for path in (ROOT / "docs" / "cli").glob("*.md")}
        self.assertEqual({path.stem for path in PAGES.iterdir()},
                         {f"triode-{name}" if name != "triode" else name for name in texts})

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_they_are_printed_whole_and_without_a_warning(self):
        for page in sorted(PAGES.iterdir()):
            with self.subTest(page.name):
                done = subprocess.run(["groff", "-man", "-Tutf8", "-P-cbou", "-ww", "-rLL=500n", page],
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                text = (ROOT / "docs" / "cli" / (page.stem.removeprefix("triode-") + ".md")).read_text()
                for option in re.findall(r"`(--[a-z-]+)", text):
                    self.assertIn(option, done.stdout.replace("\u2010", "-"))


class Completion(unittest.TestCase):
    def test_offers_commands(self):
        self.assertEqual(complete("triode", "rep"), ["report"])
        self.assertIn("collect-shapeset", complete("triode", "coll"))

    def test_offers_the_options_of_a_command(self):
        self.assertEqual(complete("triode", "report", "--o"), ["--open", "--output"])
        self.assertEqual(complete("triode", "report", "--frob"), [])

    def test_offers_what_a_command_is_followed_by(self):
        self.assertEqual(complete("triode", "tuner", "st"), ["start", "status", "stop"])
        self.assertEqual(complete("triode", "cache", "ex"), ["export"])
        self.assertEqual(complete("triode", "bench", "cpu"), ["cpu-gemm"])

    def test_offers_files_where_nothing_fits(self):
        self.assertEqual(complete("triode", "unknown", ""), [])


if __name__ == "__main__":
    unittest.main()
