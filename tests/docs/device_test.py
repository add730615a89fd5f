# SPDX-License-Identifier: Apache-2.0
"""The device of docs/guide/new-device.md, built as a project of its own, and searched by Triode."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["TRIODE_ROOT"])
PROJECT = ROOT / "docs/examples/device"
GUIDE = (ROOT / "docs/guide/new-device.md").read_text()


class Device(unittest.TestCase):
    def test_it_is_built_out_of_tree_checked_and_searched(self):
        (commands,) = re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
        environment = os.environ | {"CMAKE_GENERATOR": "Ninja", "CMAKE_BUILD_PARALLEL_LEVEL": "2"}
        with tempfile.TemporaryDirectory() as folder:
            # The sources, and room for a build beside them.
            for path in ROOT.iterdir():
                if not path.name.startswith("build"):
                    (pathlib.Path(folder) / path.name).symlink_to(path)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder,
                                  env=environment | {"CCACHE_BASEDIR": folder},  # as Triode's own objects are kept
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-4000:])
        self.assertRegex(done.stdout, r"\n6 configs are right; the fastest of 'mm f32 96x130x64 nn' is tile=\d+ order=\w+, ")

    def test_the_guide_shows_parts_of_it(self):
        sources = "".join((PROJECT / name).read_text() for name in ["loop_device.h", "loop_device.cc", "main.cc"])
        blocks = re.findall(r"^ *```cpp\n(.*?)^ *```$", GUIDE, re.MULTILINE | re.DOTALL)
        self.assertTrue(blocks)
        for block in blocks:
            shown = [line.strip() for line in block.splitlines()]
            self.assertIn("\n".join(shown), "\n".join(line.strip() for line in sources.splitlines()))


if __name__ == "__main__":
    unittest.main()
