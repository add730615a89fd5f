# SPDX-License-Identifier: Apache-2.0
"""Every block of docs/coming-from-diode.md runs, in its order, in one folder; the tests it names exist."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["TRIODE_ROOT"])
BUILD = pathlib.Path(os.environ["TRIODE_BUILD"])
PAGE = (ROOT / "docs/coming-from-diode.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


class ComingFromDiode(unittest.TestCase):
    def test_blocks_run(self):
        self.assertEqual(len(re.findall("^```", PAGE, re.MULTILINE)), 2 * len(blocks("python") + blocks("sh")))
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                names = {}
                for block in blocks("python"):
                    exec(block, names)
                path = f"{BUILD / 'bin'}:{os.environ['PATH']}"
                for block in blocks("sh"):
                    done = subprocess.run(
                        ["bash", "-euo", "pipefail", "-c", block],
                        env=os.environ | {"PATH": path},
                        capture_output=True,
                        text=True,
                    )
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("regret of the model's first N", done.stdout)
                self.assertTrue(pathlib.Path("logs/training_curves.png").exists())
            finally:
                os.chdir(before)

    def test_what_it_names_exists(self):
        defects = (ROOT / "tests/bindings/diode_defects_test.py").read_text()
        for number in re.findall(r"`test_(\d+)_\.\.\.`", PAGE):
            self.assertIn(f"def test_{number}_", defects)
        for link in re.findall(r"\]\(([^)]+)\)", PAGE):
            self.assertTrue((ROOT / "docs" / link).exists(), link)


if __name__ == "__main__":
    unittest.main()
