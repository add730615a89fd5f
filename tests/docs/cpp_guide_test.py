# SPDX-License-Identifier: Apache-2.0
"""docs/guide/cpp.md shows the project that tests/host/consumer_test.py builds and runs, and names what
the headers declare."""

import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ["TRIODE_ROOT"])
GUIDE = (ROOT / "docs/guide/cpp.md").read_text()
CONSUMER = ROOT / "tests/host/consumer"
HEADERS = ROOT / "runtime/host/include/triode"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


class CppGuide(unittest.TestCase):
    def test_cpp_is_the_program_that_is_built(self):
        licence, code = (CONSUMER / "main.cc").read_text().split("\n", 1)
        self.assertEqual(blocks("cpp"), [code])

    def test_cmake_is_that_of_the_project_that_is_built(self):
        (commands,) = blocks("cmake")
        self.assertIn(commands, (CONSUMER / "CMakeLists.txt").read_text())

    def test_names_exist_in_the_headers(self):
        declared = "".join(header.read_text() for header in HEADERS.glob("*.h"))
        for name in re.findall(r"\b(?:triode_\w+|TRIODE_[A-Z0-9_]+)\b", GUIDE):
            self.assertRegex(declared, rf"\b{name}\b")


if __name__ == "__main__":
    unittest.main()
