# SPDX-License-Identifier: Apache-2.0
"""libtriode.so as a file: what it shows to a program and what it brings along."""

import os
import re
import subprocess
import unittest

LIBRARY = os.environ["TRIODE_LIBRARY"]
# Built from the same list of symbols; what else it exports is for tests.
STAND_IN = os.environ["TRIODE_STAND_IN_BLAS"]
STAND_IN_ONLY = {"stand_in_calls", "make_stand_in_idle", "do_inside_stand_in_call"}
OURS = "triode_"
# Of a library that was built with CUDA.
CUBLAS = {"cublasGemmEx", "cublasSgemm_v2", "cublasDgemm_v2", "cublasHgemm", "cublasSgemmEx",
          "cublasGemmStridedBatchedEx", "cublasSgemmStridedBatched", "cublasDgemmStridedBatched",
          "cublasHgemmStridedBatched", "cublasLtMatmul"}


def lines_of(*command: str) -> list:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def exports_of(path: str) -> set:
    return {line.split()[-1].split("@")[0] for line in lines_of("nm", "-D", "--defined-only", path)}


class LibraryFile(unittest.TestCase):
    def test_exports_are_the_intercepted_symbols(self):
        intercepted = exports_of(STAND_IN) - STAND_IN_ONLY
        self.assertEqual(len(intercepted), 48)
        others = {name for name in exports_of(LIBRARY) if not name.startswith(OURS)}
        on_gpu = {name for name in others if name.startswith("cublas")}
        self.assertIn(on_gpu, (CUBLAS, set()))
        self.assertEqual(others - on_gpu, intercepted | {"dlclose"})

    def test_needs_the_c_library_alone(self):
        needed = {match[1] for line in lines_of("readelf", "-dW", LIBRARY)
                  if (match := re.search(r"\(NEEDED\).*\[(.*)\]", line))}
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})

    def test_is_never_unloaded(self):
        self.assertTrue(any("NODELETE" in line for line in lines_of("readelf", "-dW", LIBRARY)))

    def test_has_no_executable_stack(self):
        stack = [line for line in lines_of("readelf", "-lW", LIBRARY) if "GNU_STACK" in line]
        self.assertEqual([line.split()[6] for line in stack], ["RW"])


if __name__ == "__main__":
    unittest.main()
