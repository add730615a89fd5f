# SPDX-License-Identifier: Apache-2.0
"""Each rule of check_layering.py is broken once, in a made tree, and must be caught there."""

import tempfile
import unittest
from pathlib import Path

import check_layering


class CheckLayering(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name: str, *includes: str, licence: str = "// SPDX-License-Identifier: Apache-2.0"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([licence, *(f"#include {i}" for i in includes), ""]))

    def assert_clean(self):
        self.assertEqual(check_layering.check(self.root), [])

    def assert_one_problem(self, *parts: str):
        problems = check_layering.check(self.root)
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])

    def test_accepts_edges_of_the_map(self):
        self.write("core/problem.h", "<string>", "<sys/mman.h>")
        self.write("jit/emitter.cc", '"jit/emitter.h"', '"core/problem.h"', "<asmjit/asmjit.h>")
        self.write("learner/train/fit.cc", '"learner/model/net.h"', '"cache/store.h"', "<torch/torch.h>")
        self.write("runtime/tuner/loop.cc", '"jit/emitter.h"', '"learner/train/fit.h"', "<tbb/task.h>")
        self.write("runtime/host/api.cc", "<triode/triode.h>")
        self.write("tools/cli/main.cc", '"runtime/tuner/loop.h"', '"triode_version.h"', "<CLI/CLI.hpp>")
        self.assert_clean()

    def test_catches_core_including_upward(self):
        self.write("core/problem.h", '"jit/emitter.h"')
        self.assert_one_problem("core/problem.h:2", "core may not include jit")

    def test_catches_jit_including_cache(self):
        self.write("jit/emitter.cc", '"cache/store.h"')
        self.assert_one_problem("jit may not include cache")

    def test_catches_model_including_train(self):
        self.write("learner/model/net.cc", '"learner/train/fit.h"')
        self.assert_one_problem("learner/model may not include learner/train")

    def test_catches_edge_between_tools_and_bindings(self):
        self.write("tools/cli/main.cc", '"bindings/module.h"')
        self.assert_one_problem("tools may not include bindings")

    def test_catches_path_not_from_the_root(self):
        self.write("jit/emitter.cc", '"emitter.h"')
        self.assert_one_problem("path from the root")

    def test_catches_library_outside_its_owner(self):
        cases = {
            "core/a.cc": "asmjit/asmjit.h", "jit/a.cc": "nlohmann/json.hpp", "runtime/a.cc": "rocksdb/db.h",
            "learner/model/a.cc": "torch/torch.h", "tools/a.cc": "oneapi/tbb.h",
            "cache/a.cc": "pybind11/pybind11.h", "bindings/a.cc": "CLI/CLI.hpp",
        }
        for name, header in cases.items():
            with self.subTest(name):
                self.write(name, f"<{header}>")
                self.assert_one_problem(name, f"<{header}> belongs to")
                (self.root / name).unlink()

    def test_catches_library_nobody_owns(self):
        self.write("runtime/a.cc", "<boost/any.hpp>")
        self.assert_one_problem("<boost/any.hpp> has no owner")

    def test_catches_library_leaking_through_a_header(self):
        self.write("jit/emitter.h", '"jit/assembler.h"')
        self.write("jit/assembler.h", "<asmjit/asmjit.h>")
        self.write("runtime/executor.cc", '"jit/emitter.h"')
        self.assert_one_problem("runtime/executor.cc", "<asmjit/asmjit.h> through jit/assembler.h")

    def test_lets_tests_include_anything(self):
        self.write("tests/jit/emitter_test.cc", "<asmjit/asmjit.h>", '"runtime/executor.h"')
        self.assert_clean()

    def test_catches_missing_licence(self):
        self.write("core/problem.h", licence="// no licence")
        self.assert_one_problem("core/problem.h:1", "first line")

    def test_catches_file_that_names_no_concept(self):
        self.write("core/string_utils.h")
        self.assert_one_problem("core/string_utils.h", "'utils' names no concept")


if __name__ == "__main__":
    unittest.main()
