# SPDX-License-Identifier: Apache-2.0
"""README.md shows what is built and run: its C++ is the example's, its commands work as they stand,
and the files it names exist."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["TRIODE_ROOT"])
BUILD = pathlib.Path(os.environ["TRIODE_BUILD"])
README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


class Readme(unittest.TestCase):
    def test_cpp_is_the_example_that_is_built(self):
        example = (ROOT / "docs/examples/first_matmul.cc").read_text()
        licence, code = example.split("\n", 1)
        self.assertEqual(blocks("cpp"), [code])

    def test_commands_run_as_they_stand(self):
        (commands,) = blocks("sh")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "build").symlink_to(BUILD)
            environment = os.environ | {"XDG_CACHE_HOME": folder, "XDG_RUNTIME_DIR": folder}
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder,
                                  env=environment, capture_output=True, text=True)
            subprocess.run([BUILD / "bin/triode-tuner", "stop", "--quiet"], env=environment, check=True)
            page = pathlib.Path(folder, "triode-report.html")
            self.assertTrue(page.exists(), done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("mm f32 64x500x300 nn", done.stderr)

    def test_files_it_names_exist(self):
        for link in re.findall(r"\]\(([^)]+)\)", README):
            self.assertTrue((ROOT / link).exists(), link)
        for script in re.findall(r"^    (tools/\w+)", README, re.MULTILINE):
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)


if __name__ == "__main__":
    unittest.main()
