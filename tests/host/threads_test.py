# SPDX-License-Identifier: Apache-2.0
"""Threads of a program: every call is counted, and nothing stays behind when a thread ends."""

import unittest

from guest_run import GuestRun


class Threads(GuestRun):
    def test_short_lived_threads_are_counted_and_leave_nothing(self):
        for forced in ("off", "random"):
            with self.subTest(forced):
                done = self.run_guest("threads_guest", "short-lived", forced=forced)
                self.assert_counts(done.report, calls=700, nested=0, unlisted=0)
                self.assertEqual(done.facts["is_right"], 1)
                self.assertLess(done.facts["growth_kb"], 90)  # a kilobyte each

    def test_counts_of_threads_at_once_add_up(self):
        """Also that of a thread which came while another was entering the same call in the table."""
        done = self.run_guest("threads_guest", "together")
        self.assertEqual(done.facts, {"is_right": 1})
        self.assert_counts(done.report, calls=8000, nested=0)

    def test_smallest_stack_is_enough(self):
        for mode in ("observe", "tune"):
            with self.subTest(mode):
                done = self.run_guest("threads_guest", "small-stack", mode=mode)
                self.assertEqual(done.facts, {"is_started": 1, "is_right": 1})
                self.assert_counts(done.report, calls=50)

    def test_calls_while_a_thread_is_taken_down(self):
        for forced in ("off", "first", "random"):
            with self.subTest(forced):
                done = self.run_guest("threads_guest", "late", forced=forced)
                self.assertEqual(done.facts, {"is_started": 1, "is_right": 1})
                self.assert_counts(done.report, calls=100)


if __name__ == "__main__":
    unittest.main()
