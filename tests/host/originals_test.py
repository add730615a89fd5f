# SPDX-License-Identifier: Apache-2.0
"""Whom a call would have reached, it reaches: each caller keeps the BLAS it was linked with."""

import shutil
import unittest

from guest_run import GUESTS, GuestRun

USER, OTHER_USER = GUESTS / "libblas_user.so", GUESTS / "libother_blas_user.so"


class OriginalsOfCallers(GuestRun):
    def test_of_a_program_that_links_it(self):
        done = self.run_guest("repeating_guest", 5, 7)
        self.assertEqual(done.facts, {"is_right": 1, "vendor_calls": 7})
        self.assert_counts(done.report, calls=7, answered=0, nested=0)
        self.assertIn("libstand_in_blas.so", done.report["problems"][0]["vendor"])

    def test_of_libraries_that_each_link_another(self):
        done = self.run_guest("loading_guest", "both", USER, OTHER_USER)
        self.assertEqual(done.facts,
                         {"is_right": 1, "first_vendor_calls": 4, "second_vendor_calls": 2})
        self.assert_counts(done.report, calls=6, answered=0)
        vendors = {row["vendor"].split()[0] for row in done.report["problems"]}
        self.assertEqual(vendors, {"libstand_in_blas.so", "libother_stand_in_blas.so"})

    def test_of_a_library_loaded_where_another_was(self):
        done = self.run_guest("loading_guest", "in-turn", USER, OTHER_USER)
        self.assertEqual(done.facts,
                         {"is_right": 1, "least_vendor_calls": 2, "most_vendor_calls": 2})
        self.assert_counts(done.report, calls=40)

    def test_each_is_looked_for_once(self):
        """Two sites in turns: asking the loader takes microseconds, and a turn also checks its results."""
        plain = self.run_plainly(GUESTS / "loading_guest", "alternating", USER)
        inside = self.run_guest("loading_guest", "alternating", USER)
        self.assertLess(inside.facts["ns_per_turn"], 2 * plain.facts["ns_per_turn"] + 1000)

    def test_forced_plans_leave_them_alone(self):
        done = self.run_guest("loading_guest", "both", USER, OTHER_USER, forced="first")
        self.assertEqual(done.facts,
                         {"is_right": 1, "first_vendor_calls": 0, "second_vendor_calls": 0})
        self.assert_counts(done.report, calls=6, answered=6)


class CallsUnderTheLoadersLock(GuestRun):
    def test_first_calls_on_two_threads_do_not_wait_for_each_other(self):
        count = 100
        for name, library in (("eager", "libeager_user.so"), ("user", "libwhole_user.so")):
            for number in range(count):
                shutil.copy(GUESTS / library, self.folder / f"{name}{number}.so")
        done = self.run_guest("crowded_guest", self.folder, count)
        self.assertEqual(done.facts, {"loaded": count, "right": count})
        self.assert_counts(done.report, calls=4 * count)


class CallsThatNobodyElseAnswers(GuestRun):
    NONSENSE = "triode: a call of scipy_cblas_dgemm64_ has wrong arguments; ignored.\n"

    def test_names_are_undefined_without_triode(self):
        self.assertEqual(self.run_plainly(GUESTS / "lone_guest").facts, {"is_defined": 0})

    def test_kernels_answer_with_right_numbers(self):
        for mode in ("off", "observe", "tune"):
            with self.subTest(mode):
                done = self.run_inside(GUESTS / "lone_guest", options=["--mode", mode])
                self.assertEqual((done.code, done.stderr), (0, self.NONSENSE))
                self.assertEqual(set(done.facts.values()), {1}, done.facts)


class CallsInsideCalls(GuestRun):
    """A BLAS that is made of calls of its own functions."""

    def counts_of(self, what: str) -> dict:
        done = self.run_guest("recursive_guest", what)
        self.assertEqual(done.facts, {"is_right": 1})
        self.uneven_batches = done.report["uneven_batches"]
        return {name: done.report[name] for name in ("calls", "empty", "invalid", "nested")}

    def test_single_call_counts_once(self):
        self.assertEqual(self.counts_of("single"), {"calls": 1, "empty": 0, "invalid": 0, "nested": 1})

    def test_call_with_nothing_to_multiply_counts_once(self):
        self.assertEqual(self.counts_of("empty"), {"calls": 0, "empty": 1, "invalid": 0, "nested": 1})

    def test_call_with_wrong_arguments_may_end_in_a_jump_and_is_not_followed(self):
        self.assertEqual(self.counts_of("invalid"), {"calls": 0, "empty": 0, "invalid": 2, "nested": 0})

    def test_batch_counts_once(self):
        self.assertEqual(self.counts_of("batch"), {"calls": 1, "empty": 0, "invalid": 0, "nested": 6})

        self.assertEqual(self.uneven_batches, 0)

    def test_batch_that_is_not_understood_counts_as_its_parts(self):
        self.assertEqual(self.counts_of("uneven-batch"),
                         {"calls": 3, "empty": 0, "invalid": 0, "nested": 3})
        self.assertEqual(self.uneven_batches, 1)


if __name__ == "__main__":
    unittest.main()
