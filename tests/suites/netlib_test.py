# SPDX-License-Identifier: Apache-2.0
"""The BLAS testers of netlib, unchanged, with kernels that nobody has measured in place of the BLAS.

They compare every result with one of their own, to a bound on the rounding error, over all layouts,
transposes, scalars, odd sizes and strides, and look whether wrong arguments are refused. Package
libblas-test.
"""

import re
import unittest
from pathlib import Path

from guest_run import Finished, GuestRun
from suite_report import say_share, share_answered

FOLDERS = sorted(path.parent for path in Path("/usr/lib").glob("*/blas/xblat3s"))
LEAST_SHARE = 0.9
FORCED = ("first", "random")

INCREMENTS = re.compile(r"^\d+( +NUMBER OF VALUES OF INCX AND INCY)\n.*?( +VALUES OF INCX AND INCY)$", re.M)
LAYOUT = re.compile(r"^2( +.*TO TEST ROW-MAJOR)", re.M)
ROUTINE = re.compile(r"^(\w+) +T PUT F FOR NO TEST", re.M)
PASSED = re.compile(r"^ (\w+) +PASSED THE (?:\S+ +)?COMPUTATIONAL TESTS", re.M)
WRONG = re.compile(r"FAIL|FATAL|SUSPECT|ABANDONED|NOT TESTED", re.I)


def edited(pattern: re.Pattern, replacement: str, text: str) -> str:
    """The input of a tester with the one place changed that the pattern finds."""
    changed, count = pattern.subn(replacement, text)
    assert count == 1, text
    return changed


class NetlibTester(GuestRun):
    def setUp(self):
        super().setUp()
        if not FOLDERS:
            self.skipTest("netlib's testers are not installed (package libblas-test)")
        self.programs = FOLDERS[0]

    def run_tester(self, program: str, input_name: str, forced: str, edit=None, layouts=1,
                   with_reference=False) -> Finished:
        """Runs it on the input that came with it, edited or as it is, and checks that all passed."""
        text = (self.programs / input_name).read_text()
        text = edit(text) if edit else text
        for old in self.folder.glob("*.out"):
            old.unlink()
        # The testers in C need the reference BLAS, which exports a variable of theirs.
        variables = {"LD_LIBRARY_PATH": str(self.programs)} if with_reference else {}
        done = self.run_inside(self.programs / program, input=text, variables=variables,
                               options=["--force-plans", forced])
        # Nor does Triode raise a floating-point exception, which the testers would tell.
        self.assertEqual((done.code, done.stderr), (0, ""))
        self.assert_all_passed(done, ROUTINE.findall(text), layouts)
        say_share(f"{program}, {forced}", done)
        return done

    def assert_all_passed(self, done: Finished, routines: list, layouts: int):
        summary = done.stdout + "".join(path.read_text() for path in self.folder.glob("*.out"))
        self.assertTrue(routines)
        self.assertIn("END OF TESTS", summary)
        self.assertIsNone(WRONG.search(summary), summary)
        self.assertEqual(sorted(PASSED.findall(summary)), sorted(routines * layouts))
        self.assertEqual(summary.count("PASSED THE TESTS OF ERROR-EXITS"), len(routines))


class Matrices(NetlibTester):
    def test_level_3(self):
        for precision in "sd":
            for forced in FORCED:
                with self.subTest(precision=precision, forced=forced):
                    done = self.run_tester(f"xblat3{precision}", f"{precision}blat3.in", forced)
                    self.assertGreaterEqual(share_answered(done), LEAST_SHARE)

    def test_level_3_in_c(self):
        """One layout at a time: both make more kinds of calls than the table of plans holds."""
        for precision in "sd":
            for forced in FORCED:
                for layout in (0, 1):
                    with self.subTest(precision=precision, forced=forced, layout=layout):
                        done = self.run_tester(f"x{precision}cblat3", f"{precision}in3", forced,
                                               edit=lambda text: edited(LAYOUT, rf"{layout}\1", text),
                                               with_reference=True)
                        self.assertGreaterEqual(share_answered(done), LEAST_SHARE)

    def test_level_3_in_c_beyond_the_table_of_plans(self):
        """Both layouts at once: what finds no place is the vendor's, and all the rest is answered."""
        done = self.run_tester("xdcblat3", "din3", "first", layouts=2, with_reference=True)
        report = done.report
        self.assertGreater(report["unlisted"], 0)
        self.assertEqual(report["answered"] + report["unlisted"], report["calls"])


class Vectors(NetlibTester):
    """Level 2, where gemv alone is intercepted.

    A negative increment runs through its vector backwards, which no kernel does: such calls are passed
    on unread. Of the 16 pairs of increments in the testers' own input 4 have none, so a quarter of
    the calls can be answered. With positive increments alone, all can.
    """

    @staticmethod
    def with_positive_increments(text: str) -> str:
        return edited(INCREMENTS, r"2\1\n1 2\2", text)

    def check(self, *arguments, **options):
        for forced in FORCED:
            with self.subTest(program=arguments[0], forced=forced):
                done = self.run_tester(*arguments, forced, **options)
                report = done.report
                self.assertGreaterEqual(share_answered(done), LEAST_SHARE)
                self.assertGreaterEqual(report["invalid"], 3 * report["calls"])

                done = self.run_tester(*arguments, forced, edit=self.with_positive_increments, **options)
                report = done.report
                self.assertGreaterEqual(report["answered"],
                                        LEAST_SHARE * (report["calls"] + report["invalid"]))

    def test_level_2(self):
        for precision in "sd":
            self.check(f"xblat2{precision}", f"{precision}blat2.in")

    def test_level_2_in_c(self):
        for precision in "sd":
            self.check(f"x{precision}cblat2", f"{precision}in2", layouts=2, with_reference=True)


if __name__ == "__main__":
    unittest.main()
